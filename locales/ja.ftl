# Japanese: the text of briefs. A line that begins with four spaces continues the one before.

## Lists, and what is not known
list-comma = 、
list-and = { $first }、{ $last }
date-unknown = 日時不明

## Sections
appendix = 付録 { $letter }　{ $title }
section-summary = 概要
section-results = 測定結果
section-tpcc = TPC-C
section-limit = レイテンシ上限での負荷
section-multiple = 保持できる最大の負荷倍率
section-equal-latency = 等レイテンシでの負荷
section-fairness = 試験条件の違い
section-findings = すべての主張
section-differences = すべての差
section-figures = その他の図
section-energy = 消費電力とエネルギー
section-limits = ボトルネック
section-outliers = 外れ値
section-drives = ドライブ別・インスタンス別
section-preparation = 事前準備
section-conclusion = 結論
section-marks = 留意点
section-method = 測定方法：定義と数式
section-data = 全データ
section-server = サーバー
section-disclosure = 全情報の開示

## Columns of tables
column-step = ステップ
column-figure = 指標
column-pair = 比較対象
column-comparisons = 比較数
column-first-better = 前者が優位
column-second-better = 後者が優位
column-not-distinguishable = 有意差なし
column-not-ranked = 順位なし

## Conclusion
conclusion-how = すべての比較の結果：
conclusion-limits =
    区間はすべて、このホストとこれらのドライブでの反復間のばらつきによるものです。結果は、これらの
    ドライブ、このファームウェア、このホストとソフトウェア、これらの負荷について成り立ちます。詳細
    は「全情報の開示」にあります。あるモデルの 1 台が同型のすべてを代表するわけではありません。

## Figures of power
power-of = { $class } の消費電力
ops-per-watt-of = { $class } の 1 ワットあたり ops/s
ops-per-watt = 1 ワットあたり ops/s
power-against-throughput = スループットに対する { $class } の消費電力（{ $axis } 別）
power-over-time = スループットと消費電力の推移{ $at }
power-and-temperature-over-time = スループット、消費電力、温度の推移{ $at }

## Numbers
given-up = （{ $count } 件断念）
range = { $low }～{ $high }
maximum = 最大
at-least = 少なくとも { $difference }
per-op = 1 op あたり { $energy }

## Metrics
mean = 平均
latency = { $figure } レイテンシ
latency-of = { $class } の { $figure } レイテンシ
response-time = { $figure } 応答時間
response-time-of = { $class } の { $figure } 応答時間
ops-per-watt-by = 1 ワットあたり ops/s（{ $class }、{ $kind }）
mb-per-watt-by = 1 ワットあたり MB/s（{ $class }、{ $kind }）
energy-per-op-by = 1 op あたりのエネルギー（{ $class }、{ $kind }）
new-orders-per-minute = 毎分の New-Order 数

## Axes, and places on them
axis-threads = スレッド数
axis-depth = キュー深度
axis-asked-ops = 要求 ops/s
axis-asked-rate = 要求レート
axis-load = 負荷
axis-block = ブロックサイズ
axis-instances = インスタンス数
at-one-thread = （1 スレッド）
at-threads = （{ $values } スレッド）
at-depth = （キュー深度 { $values }）
at-ops-asked = （要求 { $values } ops/s）
at-rate-asked = （要求 { $values }）
at-load = （負荷 { $values }）
at-one-instance = （1 インスタンス）
at-instances = （{ $values } インスタンス）
at-blocks = （ブロックサイズ { $values }）
at-every-thread-count = （全スレッド数、{ $low }～{ $high }）
at-every-depth = （全キュー深度、{ $low }～{ $high }）
at-every-rate = （全レート、{ $low }～{ $high }）
at-every-load = （全負荷、{ $low }～{ $high }）
at-every-instance-count = （全インスタンス数、{ $low }～{ $high }）
at-every-block-size = （全ブロックサイズ、{ $low }～{ $high }）
at-equal-load-of = （等負荷 { $load } ops/s）
at-equal-p99-of = （等 p99 { $latency }）
within-the-latency-limit = （レイテンシ上限内）
on-average-over = （{ $count } 測定点の平均）
on-average-over-loads = （{ $count } つの等負荷の平均）

## Claims
difference-footnote =
    差：優位な対象、その差の大きさ、同時 95 % 信頼区間。大きいほど良い指標では増加率（上位 ÷ 下位 −
    1）、レイテンシでは減少率（1 − 新 ÷ 旧）。▲ 有意、≥ 下限値（優位な対象はドライブが
    制約していない）、≈ 有意差なし、‡ 順位なし：劣位の対象はドライブが制約していない。1 つの報告書のすべて
    の区間は、95 % の確率で同時に成り立ちます。
claim-more = { $better } は { $worse } より { $what } が { $by } 多い{ $at }
claim-lower = { $better } は { $worse } より { $what } が { $by } 低い{ $at }
claim-less = { $better } は { $worse } より { $what } が { $by } 少ない{ $at }
claims-more = { $better } は { $rivals }{ $at }
claims-lower = { $better } は { $rivals }{ $at }
claims-less = { $better } は { $rivals }{ $at }
rival-more-of = { $worse } より { $what } が { $by } 多い
rival-lower-of = { $worse } より { $what } が { $by } 低い
rival-less-of = { $worse } より { $what } が { $by } 少ない
rival-more = { $worse } より { $by } 多い
rival-lower = { $worse } より { $by } 低い
rival-less = { $worse } より { $by } 少ない
varied = { $path } { $value }（比較対象は { $other }）
with-knob = { $subject } は { $knob }
claim-family = 反復 { $repeats } 回、{ $comparisons } 件の比較にわたる同時信頼区間
claim-largest-of = 有意な { $points } 測定点のうち最大のもの
claim-untested = 測定区間 { $window } はドリフトの検定には短い
claim-no-drive = { $better } はドライブに達していない
claim-host-limited = { $better } はホストが制約したため、ドライブの性能はさらに高い可能性がある
calculation-less = { $calculation }、{ $difference } 短い
of-step = { $step }：{ $sentence }
full-stop = { $sentence }。
crossed-lower = { $until } までは { $before } の { $what } が低く、{ $from } からは { $after } が低い
crossed-higher = { $until } までは { $before } の { $what } が高く、{ $from } からは { $after } が高い
differs = { $what } が異なる：{ $values }
not-comparable = { $other } と { $first } は比較できない：{ $differences }。
not-comparable-in =
    { $step } では { $other } と { $first } は比較できない：{ $differences }（それを調べたい場合は
    --vary で指定する）。

## What a claim is of
on-one-device = 同一デバイス上
of-these-two-drives = この 2 台のドライブについて
of-two-drives = 2 台のドライブ { $first }、{ $other } について
drives-each = 各 { $count } 台
drives-of-two = { $first } 台と { $other } 台
of-these-drives = これらのドライブについて

## Bottlenecks
evidence-and-remedy = { $evidence }。ドライブを測定するには：{ $remedy }
limit-drive = ドライブ
limit-cpu = ホスト CPU
limit-memory = メモリ
limit-no-drive = ドライブなし
limit-neighbour = 隣接負荷
limit-generator = 負荷生成側
limit-standstill = Dyno の停止
limit-rate = 要求レート
limit-thermal = 温度による性能抑制
limit-locks = ロック待ち
limit-undecided = 判定不能

## Caveats
caveat-not-measured = 測定されていない
caveat-failed = { $count } 回の反復が失敗
caveat-not-steady = ドライブが定常状態に達していなかった
caveat-drifted = 測定区間内で ops/s が { $change } 変動した
caveat-missed-rate = 要求レートの { $share } にとどまった
caveat-stream-missed-rate = ストリーム { $stream } は要求レートの { $share } にとどまった
caveat-late = 要求の { $share } が遅れて発行された
caveat-few-repeats = 測定は { $count } 回のみ：比較の前に反復する（`--repeats 5`）
caveat-every-point-few-repeats = どの測定点も測定は { $count } 回のみ：比較の前に反復する（`--repeats 5`）
caveat-not-the-drive = 制約要因はドライブではなく{ $limit }：{ $why }
caveat-no-drive = ドライブは測定されていない：{ $why }
caveat-of = { $places }、{ $subject }：{ $caveat }

## Notes
notes = 注記
note-moved-ops =
    反復 { $repeat } は { $subjects } つの対象すべてで { $factor } 倍だった。水準の精度は下がるが、
    反復内の比は影響を受けない
note-moved-p99 =
    反復 { $repeat } の p99 は { $subjects } つの対象すべてで { $factor } 倍だった。水準の精度は下
    がるが、反復内の比は影響を受けない
note-apart =
    { $place }、{ $subject }：ドライブ { $drive } は同型の { $others } 台から外れている（{ $ops } 対
    { $usual } ops/s）
drives-and-repeats = { $drives }、ばらつきはドライブ間 { $by }、反復間 { $repeats }
drives-scatter = { $drives }、ばらつきはドライブ間 { $by }
note-models =
    ドライブ単位では { $better } は { $worse } より ops/s が { $by } 多い（{ $drives }）。区間はド
    ライブを変量効果として扱う単独のもので、全体の同時区間ではない
note-models-open =
    ドライブ単位では { $first } と { $other } の ops/s に有意差はない：{ $by }（{ $drives }）。区
    間はドライブを変量効果として扱う単独のもので、全体の同時区間ではない

## The first page
nor = 、
and-undecided = { $sentence }。{ $pairs } の間には有意差がない
two-sentences = { $first }{ $second }
changes-more-times = { $sentence }優位な対象はさらに { $count } 回入れ替わる。
open-not-limited = { $first } と { $other } は { $what } では順位を付けられない。ドライブが制約要因ではなかった。
open-too-few = { $first } と { $other } は { $what } では有意差がない：{ $repeats } 回の反復では判定に足りない。
open-difference = { $first } と { $other } は { $what } では有意差がない。差は { $difference }。
no-rank-alone = 対象が 1 つだけ測定されたため、順位は付けられない：別の対象と並べて測定する（`--subject` を 2 つ指定）。
level = { $step }：{ $subject }、{ $figure }{ $at }。
conditions-published = 公表値のまま（反復なし）：条件は出典の記載によるもので、Dyno は確認していない。
conditions-imported = 取り込み値のまま：条件は出典の記載によるもので、Dyno は確認していない。
measured-times = 測定回数 { $count }
window-a-point = 測定点あたり { $window }
kernel = カーネル { $release }
brackets-are-intervals = 角括弧内は報告書全体で同時に成り立つ 95 % 信頼区間
no-rank-none-measured = 最後まで測定された点がないため、順位は付けられない。最初の失敗：{ $first }
no-rank-barred = 順位は付けられない：{ $reason }
no-rank-not-comparable-in = { $metrics } で比較できる対象の組がないため、順位は付けられない。
no-rank-chance = 偶然の範囲を超える差がないため、順位は付けられない。反復を増やすと区間は狭くなる（`--repeats 10`）。
see-bottleneck = 変更すべき点は「ボトルネック」にある
no-rank-not-limited-all =
    { $points } 測定点のうち { $count } 点はドライブではなく{ $limit }が制約要因だったため、順位は
    付けられない：{ $change }。
no-rank-not-limited-most =
    { $points } 測定点のうち { $count } 点はドライブが制約要因ではなく（{ $most } 点は{ $limit }）、
    順位は付けられない：{ $change }。
no-rank-no-drive-all =
    { $points } 測定点のうち { $count } 点はドライブに達していないため、順位は付けられない：{ $change }。
no-rank-no-drive-most =
    { $points } 測定点のうち { $count } 点はドライブが制約要因ではなく（{ $most } 点はドライブに達してい
    ない）、順位は付けられない：{ $change }。

## What a step's figures come to
none-compared-here = ここで比較できる対象の組はない。
knee-at = { $subject } は { $load } ops/s（p99 { $p99 }）
knees = 曲線の屈曲点：{ $knees }。
p99-from-to = { $subject } は { $low }（{ $from }）から { $high }（{ $to }）
p99-moves = p99 の推移：{ $moves }。
ops-and-p99-change = { $subject } の ops/s は { $ops }、p99 は { $p99 } 変化
ops-and-p99 = { $subject } は { $ops } と { $p99 }
from-to-threads = { $from } から { $to } スレッドで、{ $changes }。
from-to-instances = { $from } から { $to } インスタンスで、{ $changes }。
from-to = { $from } から { $to } で、{ $changes }。
drive-limited = { $points } 測定点のうち { $drive } 点はドライブが制約要因。
drive-limited-otherwise = { $points } 測定点のうち { $drive } 点はドライブが制約要因。その他：{ $others }。
between-sentences = {""}

## Bottlenecks, in their section
see-bottleneck-marks = † ドライブが制約要因ではない：「ボトルネック」を参照。
see-caveats-marks = † ドライブが制約要因ではない：「留意点」を参照。
bottleneck-how =
    各測定区間でカーネルが数えたプロセッサ、デバイス、Dyno 自身のプロセスの値と、Dyno が発行中の要
    求によります。負荷自身の要求の少なくとも半分がデバイスにあった場合、またはワーカーがデバイスに
    ある要求を待っていた場合に、その測定点はドライブによるものとします。フラッシュの時間はデバイス
    に数えます。
bottleneck-sum =
    { $points } 測定点のうち { $drive } 点はドライブが制約要因だった。{ $others } 点は他の要因が制
    約しており、{ $mark } を付けた：ドライブの順位付けには使えない。
bottleneck-rest = 残りは要求レートで動作したか、判定不能。

## Outliers
outliers-how =
    各測定点の応答時間が最も長い 1,000 要求（全要求の 100 分の 1 まで）。割合は応答時間の合計に対する
    もの。ドライブ：要求がカーネルに渡されており、プロセッサ待ちでありえた時間が 5 分の 1 以下。
    ホスト：半分以上がプロセッサ待ちか、Dyno 全体が停止していた。それ以外は不明とし、ドライブのせい
    にはしない。規則と限界は docs/outliers.md。
outliers-line =
    { $place }：最も遅い { $count } 要求、{ $least }～{ $most }：ドライブ { $drive }、ホスト { $host }、
    不明 { $unknown }
outlier =
    { $place }、反復 { $repeat }、{ $seconds }：{ $latency }、{ $class }、大きさ { $size }、位置 { $address }
    （{ $stream }、ドライブ { $drive }、ワーカー { $worker }、キュー深度 { $depth }）：{ $cause }、{ $reason }
outlier-beside = { $outlier }。同時に：{ $beside }
column-outliers = 外れ値
column-from-latency = 最小
column-mostly-unknown = 不明の主な理由
cause-drive = ドライブ
cause-host = ホスト
cause-unknown = 不明
reason-at-drive = ワーカーは他に何も待っていない
reason-waited = ワーカーがプロセッサを待った
reason-stopped = Dyno が停止していた
reason-behind = 他の要求の後ろで待った
reason-not-at-device = デバイスに要求がなかった
reason-other-drives = 他のドライブも同時に停滞
reason-not-direct = ダイレクト I/O ではない
reason-both = ホストとドライブの両方の可能性
reason-not-watched = 観測なし
beside-waited = プロセッサなし { $time } 以上
beside-switches = コンテキストスイッチ { $count } 回
beside-steal = スチール時間 { $time } 以下
beside-stalled = デバイスの完了なし { $time }
beside-idle = デバイスに要求なし { $time }
beside-throttled = サーマルスロットリング
beside-health-read = ヘルスログの読み取り中
beside-interrupts = 割り込み { $rate }
beside-processor = 最も忙しいプロセッサ { $busy }

## Multiples of a load
multiple-found = { $subject } は負荷の { $multiple } を保持 [{ $low }～{ $high }]、{ $repeats } 回の探索。
multiple-at-least = { $subject } は負荷の少なくとも { $multiple } を保持：試した倍率はすべて満たした。
multiple-holds =
    倍率は、{ $stream } の要求のうち { $limit } を超えるものが { $share } 以下で、負荷が予定から遅れな
    い場合に満たすとする。表はその時間以上かかった要求の割合。
multiple-how =
    満たさない最小の倍率より下で、全ステップが満たす最大の倍率：反復の幾何平均。区間は反復によるもの
    （95 %、3 回以上）で、少なくとも満たした値から満たさなかった値までを含む。
column-time = 時間
column-holds = 判定
time-response = 応答
time-service = サービス
holds = 満たす
does-not-hold = 満たさない

## More columns of tables
column-subject = 対象
column-limited-by = 制約要因
column-because = 根拠
column-at = 条件
column-repeat = 反復
column-cause = 原因
column-stream = ストリーム
column-asked = 要求
column-achieved = 達成
column-share = 割合
column-late = 遅延発行
column-max-backlog = 最大滞留数
column-backlog-at-end = 終了時の滞留数
column-what = 項目
column-values = 値
column-class = 種別
column-repeats = 反復数
column-max = 最大
column-min = 最小
column-median = 中央値
column-least = 最小
column-most = 最大
column-with = 比較対象
column-difference = 差
column-drive = ドライブ
column-drives = ドライブ数
column-instances = インスタンス数
column-ops-sum = ops/s、合計
column-p99-merged = p99、統合
column-p99-pooled = p99、プール
column-mean-of-p99s = p99 の平均
column-power-of = 電力の対象
column-energy = エネルギー
column-idle = アイドル
column-knee-ops = 屈曲点、ops/s
column-knee-p99 = 屈曲点、p99
column-load-at-equal-p99 = 等 p99 での負荷
column-p99-at-equal-load = 等負荷での p99、平均
column-most-within = { $stream } の { $percentile } ≤ { $limit } を満たす最大の{ $axis }
column-first-beyond = 満たさない最初の値
column-done = 結果
column-verdict = 判定
column-rounds = ラウンド数
column-window = 区間
column-excursion = 変動幅
column-allowed = 許容値
column-slope = 傾き
column-transaction = トランザクション
column-number = 件数
column-rolled-back = ロールバック
column-slowest = 最長
column-limit-90 = 90 % の上限
column-calculation = 計算
column-result = 結果
column-other-formula = 別の式

## Caveats, in their section
caveats-points = 留意点のある測定点
caveats-support-no-claim = 値は示すが、主張の根拠にはしない。
caveats-wider = 要求より広い区間
caveats-failed = 失敗した測定点
caveats-failed-note = 推定値には含めない。
caveats-oddities = 範囲超過と読み出しミス
caveats-none = 留意点なし：失敗、ドリフト、要求レートの未達、レイテンシの範囲超過はいずれもなかった。
caveats-asked = 要求と達成
caveat-wider = { $place }、{ $subject }：反復 { $repeats } 回で ±{ $half }（要求は ±{ $asked }）
rates-kept = 測定点の { $count } ストリームはレートを 2 % 以内に保ち、遅延発行は 1 % 未満だった。
other-rates-kept = 測定点の残り { $count } ストリームはレートを 2 % 以内に保ち、遅延発行は 1 % 未満だった。
oddity-overflow = 1 時間を超えるレイテンシ { $count } 件
oddity-given-up = トランザクション { $count } 件（{ $share }）はサーバーが繰り返しロールバックしたため断念：レートに含まない
oddity-misses = 読み出し { $count } 件（{ $share }）は該当キーなし

## Conditions, data, disclosure
nothing-differs = ドライブ以外に、対象間で異なることが判明しているものはない。
grade-disqualifying = 比較不可
grade-confounder = 交絡の可能性あり
grade-harmless = 影響なし
data-how =
    すべてのストリームと種別。灰色のストリームは測定対象と並行して動作し、主指標には含まない。レイ
    テンシはサービス時間、レートを指定した場合は応答時間（r 印）。「–」は未測定：そのパーセンタイ
    ルを超える標本が 100 未満。
runs = 測定
run = { $when }、dyno { $version }、反復 { $repeats } 回
run-header = { $file } · { $when } · 反復 { $repeats } 回 · dyno { $version }
resolved-plan = { $file } の解決済みプラン
server-hardware = サーバーのハードウェア
server-software = サーバーのソフトウェア

## Drives and instances
drives-aggregation =
    複数ドライブの場合：ops/s は合計、パーセンタイルは統合したヒストグラムのもの（パーセンタイルの
    平均ではない）。最小、中央値、最大は個々のドライブについて。
drives-pooled =
    複数インスタンスの場合：プールした p99 は統合したヒストグラム、すなわち全トランザクションのも
    の。並べて示すのは各インスタンスの p99 の平均で、複数の仮想マシンのレビューで使われる。両者は
    異なる問いに答える。
instance-by-instance = インスタンス別：{ $step }

## Power
energy-how =
    電力は 3 列目に示す対象について、その計器が示す値。種別間の比較はしない。エネルギーは測定値自
    身の時刻による台形則で、計器が負荷を示す遅れの分だけずらした測定区間にわたる。遅れは { $seconds }
    s までで、測定値が ops/s に最もよく追従する値であり、同じ計器の全測定点で共通。測定値が区間の 1
    % を超えて欠ける場合は示さない。アイドル電力は差し引かない。
meter-late = { $meter }：負荷より { $late } 遅れて示すため、補正済み。
meter-unknown-delay = { $meter }：負荷への追従が弱く、遅れの有無を判定できない。
meter-too-little = { $meter }、{ $step } { $at }：測定値は区間の { $covered } しか覆わず、エネルギーには不足。
power-meters = 電力計

## Load at equal latency, and at a limit
equal-load-how =
    屈曲点は、両軸を同じ尺度にして、曲線の両端を結ぶ直線から最も下に離れた測定点。離れ方が 10 分の
    1 未満なら屈曲点なし。等 p99（最初の対象の屈曲点の値）での負荷と、等負荷（全曲線に共通する負荷）
    での p99 は、測定点間の直線から反復ごとに読み取り、他の指標と同様に報告書の主対象と比較する。
limit-how = スイープの値のうち、不確かな範囲の二分探索に必要なものを測定した。全反復でのパーセンタイルが上限以内の値を「満たす」とし、満たさない値より上は調べない。
row-at-load = { $load } ops/s 時
row-at-p99 = p99 { $latency } 時
row-within-limit = 上限内

## All claims
findings-how =
    主張は、同時 95 % 信頼区間が「差なし」を含まない場合に限る：この報告書の主張のいずれかが誤りで
    ある確率は 5 % 以下。同じことを示す測定点が複数あれば、下限が最も強いものを挙げる。数値は弱い
    主張の側に丸める。留意点のある測定点は根拠にしない。
caveats-noted = 留意点 { $count } 件：「留意点」に一覧。
claims-for = { $subject } についての主張
claims-none = なし。
claims-weaker = より弱い { $count } 件は各ステップの表にある。
claim-with-basis = { $claim }（{ $basis }）。
caveats-of-claims = 留意点（これらの測定点は主張の根拠にならないか、下限値のみ）

## Preparation
not-steady-warning =
    { $drive } は { $rounds } ラウンド以内に定常状態に達しなかった。それでも測定は行われており、ド
    ライブよりも準備が止まった時点の状態を示している可能性がある。
steady = 定常
not-steady = 定常でない

## Results
differences-as-published = 差：公表値のまま（反復なし）。上位の対象とその差の大きさ。算術によるもので、主張ではない。
swept-along = { $axis } を掃引
open-loop = オープンループ
closed-loop = クローズドループ
window-unknown = 測定区間の長さは不明
window-too-short = 測定点あたり { $window }、ドリフトの検定には短い
percentiles-response = パーセンタイルは { $class } の応答時間
percentiles-service = パーセンタイルは { $class } のサービス時間
summed-over-drives = ops/s の合計とヒストグラムの統合はドライブにわたる
summed-over-instances = ops/s の合計とヒストグラムの統合はインスタンスにわたる
summed-over-drives-and-instances = ops/s の合計とヒストグラムの統合はドライブとインスタンスにわたる

## Summary
summary-how = ▲ 主張により他のすべての対象より優位。† ドライブが制約要因ではない。差：優位な対象、その差の大きさ、信頼区間。
summary-how-published = 公表値のまま（反復なし）：主張はなく、最良の印もない。
mean-of-equal-loads = （等負荷の平均）
mean-of-points = （{ $count } 測定点の平均）
at-equal-latency = （等レイテンシ）
within-the-limit = （上限内）

## TPC-C
tpcc-limits =
    上限：各種類の 90 % がその時間内に応答すること（5.2.5.3 項）、遅延実行の Delivery の 90 % がキ
    ュー投入から 80 s 以内に実行されること（2.7.2.2 項）。端末がキー入力・思考する場合、時間は端末
    の送信からの応答時間。p95 または最長が上限以内なら、上限を守ったものとする。最小割合（5.2.3 項）
    ：Payment 43 %、Order-Status、Delivery、Stock-Level 各 4 %。
tpcc-deviations =
    毎分の New-Order 数は tpmC ではない：監査を受けた結果ではなく、公表結果とは比較できない。仕様
    との相違：外部キーは宣言しない。トランザクションはサーバー既定の分離レベル（MariaDB と MySQL は
    repeatable read、PostgreSQL と SQL Server は read committed）で実行し、行は書き込み前にロック
    する。遅延実行の Delivery は端末の接続を待ち、結果ファイルではなくレイテンシに記録する。入力は
    ドライバーが生成し、画面はない。チェックポイント、耐久性、180 日分のストレージは試験しない。キ
    ー入力・思考時間なし（no-wait）では、トランザクションごとに端末を選び直す。ロールバックした New-Order
    は毎分の New-Order 数に含めない。
subject-times = { $subject }（{ $count } 回）
tpcc-conditions-kept = { $step }：3.3.2 項の 12 条件はすべて { $subjects } で守られた。最も長い検査は { $time }。
new-orders = 毎分 { $rate } New-Order
kept-by-all = 全件が遵守
kept = 遵守
p95-above = p95 が超過
committed = （コミット済み）。

## Method
procedure = 手順
procedure-of = { $title }（{ $protocol }）。出典：{ $source }
step-named = ステップ { $step }
step-windows = ウォームアップ { $warmup }（算入しない）の後、{ $window } を測定。
service-time = サービス時間
response-time-term = 応答時間
percentiles = パーセンタイル
several-drives = 複数のドライブまたはインスタンス
method-ops = 測定区間内に完了した op の数を区間の長さで割り、対象のドライブとインスタンス、および主指標に含むストリームにわたって合計したもの。
method-mb = それらの op が転送したバイト数（単位 1,000,000 バイト）を区間の長さで割ったもの。
method-service-time = 要求をエンジンに渡してから完了まで。単一の単調時計による。
method-response-time = レートを指定した場合：要求の予定時刻から完了まで。遅い要求の後ろで待つ時間も含む。遅れた要求は遅れとして数え、破棄しない。
method-percentiles =
    相対誤差 0.1 % 以下のヒストグラムから。ワーカー、ドライブ、インスタンスにわたって統合し、種別
    間では統合しない。op のうち指定割合が超えなかったレイテンシ。それを超える標本が { $samples } 以
    上ある場合のみ示す。
method-several-drives =
    op とバイト数は合計する。パーセンタイルは統合したヒストグラムのもので、パーセンタイルの平均で
    はない。反復が複数ある場合はそれぞれの値の幾何平均を示す。
interval = 区間（±）
gain = 増加率
reduction = 減少率
comparison = 比較
one-family = 一つの族
lower-bound = 下限値（≥）
rounding = 丸め
self-test = セルフテスト
difference = 差
method-interval = 水準の 95 % 信頼区間の半幅：3 回以上の反復の対数に対するスチューデントの t による。反復が 1～2 回の場合は区間がなく、最小と最大のみを示す。
method-gain = 上位 ÷ 下位 − 1。大きいほど良い指標に用いる：1.5 倍は 50 % の増加。
method-reduction = 1 − 新 ÷ 旧。レイテンシに用いる：半分の時間は 50 % の減少。
method-comparison = 反復にわたる幾何平均の比。反復をブロック、測定順の位置を要因とする対数モデルによる。測定点の分散は調整する（Smyth 2004）。
method-one-family =
    この報告書のすべての比較（全ステップ、対象、指標、測定点）で、いずれかの区間が真値を外す確率を
    合わせて 5 % とする：個々の測定点に 4 %、ステップ平均に 1 %（ボンフェローニ法）。判定と区間は
    同一のものによる。
method-lower-bound = 優位な対象はドライブが制約要因でなく、他方はドライブが制約要因：差は少なくとも区間の下端。
method-rounding = 弱い主張の側に、区間の半幅の 2 桁まで。区間の両端は外側に丸める。
method-caveats =
    いずれかの反復で失敗した、要求レートに 2 % 以上届かなかった、オープンループの要求の 1 % 以上を
    遅れて発行した、定常状態まで準備するはずのドライブがそれに達しなかった、いずれかの反復でドリフ
    トした測定点（docs/claims.md を参照）は、主張の根拠にしない。

## Imported figures, in tables
published-how = 公表値のまま（反復なし）：値から算術で求めたもの。ばらつきが不明なため、主張はしない。
published-row =
    { $step }、{ $figure }（{ $at }）、{ $subject } と { $rival }：{ $calculation } = { $result }（{ $other }）
formula-gain = 増加率
formula-reduction = 減少率
formula-factor = 倍率

## Specification
specification = 仕様
stated-not-measured = メーカーまたは記載の出典による値で、この表に測定値はない。
for-the-money = 価格あたり
for-the-money-how = 各ステップの主指標を上記の価格で割ったもの。価格は測定値ではなく日々変わるため、これらの商の差は主張しない。ドライブが制約要因ではない値は除く。
price-of = { $subject }：{ $date } の価格、出典 { $source }
spec-capacity = 容量
spec-form-factor = フォームファクター
spec-interface = インターフェース
spec-endurance = 耐久性
spec-warranty = 保証
spec-price = 価格
verdict = 総評

## The byline
measured-with = { $when } · Dyno { $version } で測定
imported-into = { $when } · Dyno { $version } に取り込み
own-protocol = { $measured } · Dyno 独自の手順
after-source = { $measured } · 手順の出典：{ $source }

## Screens
streams-in-brackets = （括弧内：主指標に含まないストリーム）
limited-by = { $place }：{ $limit }、{ $evidence }
stream-reached-and-late =
    { $place }：ストリーム { $stream }：要求レートの { $reached } に到達、要求の { $late } が遅れ
    て発行、最大滞留数 { $backlog }
stream-late = { $place }：ストリーム { $stream }：要求の { $late } が遅れて発行、最大滞留数 { $backlog }
failed-point = { $subject }、{ $step } { $at } 反復 { $repeat }：{ $cause }
failed-points = 失敗した測定点（{ $count }）、推定値に含まない
axis-rates = レートの倍率
at-rates = （レートの { $values }）
at-every-multiple = （全レート倍率、{ $low }～{ $high }）

## Pages
page-skip = 本文へ移動
page-sections = セクション
page-footer = Dyno { $version } が生のヒストグラムと区間データから作成。ここにある数値はすべてバンドルから再作成できる。
page-of = { $page } / { $pages }
rows-elsewhere = { $rows } 行。HTML 版と Markdown 版、および `dyno export` にある。
lines-elsewhere = { $title }：{ $lines } 行。HTML 版、Markdown 版、バンドルにある。


## Bottlenecks, their evidence, and what to change (src/stats)
verdict-clauses = { $first }。{ $second }
verdict-processors-busy = プロセッサの使用率 { $busy }
verdict-processors-others = プロセッサの使用率 { $busy }、うち他のプロセスが { $others }
verdict-few-at-device = 負荷の要求のうちデバイスにあったのは { $share } のみ
verdict-hypervisor = ハイパーバイザーが { $stolen } を他に割り当てた
remedy-own-machine = 専用のマシン、または共有されない仮想プロセッサを使う
remedy-end-others = このホストで動作している他のプロセスを終了し、再測定する
verdict-stood-still = Dyno 自体が { $window } のうち { $still } 停止していた
remedy-stood-still = Dyno が停止されない環境 (サスペンド、デバッガー、オーバーコミットされた仮想マシンのない環境) で再測定する
verdict-tmpfs = 対象のフォルダーはメモリ上 (tmpfs) にあり、その下にドライブはない
remedy-tmpfs = ドライブのファイルシステム上のフォルダー、またはデバイス自体を指定する
verdict-no-data = エンジンがデータを持たないため、要求はドライブに届かない
remedy-no-data = データを格納するエンジンを使う
verdict-from-memory = 読み取りの少なくとも { $share } はメモリから返された
verdict-left-in-memory = 書き込んだバイトの { $share } は終了時にデバイスに届いていなかった
remedy-longer-window = 開始前にメモリが満杯になるほど長い測定区間にする
remedy-direct-or-longer-window = `direct = true` を指定するか、開始前にメモリが満杯になるほど長い測定区間にする
remedy-dataset-beyond-memory = メモリより大きいデータセットにする
remedy-dataset-of = { $size } のデータセットにする
remedy-direct-or = `direct = true` を指定するか、{ $other }
remedy-smaller-cache = エンジン自体のキャッシュを小さくするか、データセットを大きくする
remedy-dataset-fits = データセット ({ $dataset }) が { $memory } のメモリに収まる。{ $how }
verdict-neighbour = デバイスの時間の { $share } が他の要求に費やされた (読み取り { $read }、書き込み { $written })
remedy-neighbour = ドライブを使用している他のプロセスを終了する (`iotop -o` で特定できる) か、他に使用されていないドライブを測定する
verdict-late = 操作の少なくとも { $share } は Dyno 自体による発行が遅れた
verdict-late-p99 =
    操作の少なくとも { $share } は Dyno 自体による発行が遅れ、応答時間の p99 はサービス時間の p99 の
    { $ratio } 倍である
remedy-late = レートに対してワーカーを増やすか、レートを下げるか、他に使用されていないプロセッサを使う
verdict-rate-reached = 要求レートの { $share } に達した
verdict-throttled = ドライブが測定区間の { $share } でスロットリングした
verdict-thinks = 要求の { $share } が処理中であった。要求と要求の間にキー入力時間と思考時間がある
verdict-too-few-made = 同時に発行できる要求のうち処理中であったのは { $share } のみで、Dyno はそれ以上生成できない
remedy-too-few-made = スレッドを増やしてそれぞれのキュー深度を下げるか、要求を大きくする
verdict-no-device = デバイスが見つからない
verdict-at-device = 負荷自体の要求は測定区間の { $window } でデバイスにあり、同時に発行できる要求の { $requests } に当たる
verdict-at-device-flushing =
    負荷自体の要求は測定区間の { $window } でデバイスにあり (フラッシュが { $flushing })、同時に発
    行できる要求の { $requests } に当たる
verdict-processors-unknown = プロセッサ時間は不明
verdict-one-core = ワーカーは 1 つで、そのコアの使用率は { $busy }
verdict-computed = ワーカーは時間の { $share } を計算に費やした
verdict-own = { $evidence }、うち負荷自体が { $own }
verdict-own-and-servers = { $evidence }、うち負荷自体が { $own }、そのデータベースサーバーが { $servers }
remedy-server-processors = サーバーのプロセッサを増やすか、キャッシュに収まらないデータセットにして、ドライブへの要求を増やす
remedy-processors = プロセッサを増やすか高速にする、またはバイトあたりの計算が少ない負荷 (大きな要求、圧縮なし) にする
verdict-others-waited = 他のワーカーはそれらを待っていた
verdict-locks = ワーカーは時間の { $off } でプロセッサ上になく、その要求がデバイスにあったのは { $window } のみ
remedy-locks = スレッドを減らすか、複数のデータセットを同時に使い (`instances`)、待ちをなくす
verdict-in-repeats = { $evidence } ({ $repeats } 回の反復のうち { $count } 回。{ $others })
verdict-limit-in = { $limit } は { $count } 回
verdict-limits = { $first }、{ $other }

## Differences in test conditions (src/analysis)
difference-fact = { $heading }: { $fact }
difference-setting = { $path }
difference-method = 測定方法のバージョン
difference-preparation = 準備
difference-temperature = 開始時の温度、{ $step }
difference-own-runs = 別々の実行で測定
difference-one-after-other = 対象を順に 1 つずつ測定
difference-unequally = 時間とともに変化した条件の影響は対象間で等しくない
difference-nothing-done = なし
value-of = { $value } ({ $subjects })
values-and = { $first }、{ $other }
on-this-host = このホストについて: { $summary }
difference-times = { $times }

## Axes of steps (src/analysis)

## Figures (src/chart)
figure-nothing-measured = ここでは何も測定されていない
figure-seconds = 秒
figure-round = ラウンド
figure-share-no-longer = この時間以内に完了した操作の割合
figure-convergence = 定常状態への収束
figure-convergence-in-rounds = { $round } のラウンドごとの { $metric }。最後のラウンドに近似直線と平均 ± { $band } を示す
figure-drive-of = { $subject }、ドライブ { $drive }
hollow-points = { $caption } (白抜き: 要求レートに 2 % を超えて届かなかった)
hover-missed-its-rate = { $point }、要求レート未達
hover-interval = { $value } (95 %: { $low } ～ { $high })
hover-not-limited = { $bar }: ドライブによる制限ではない
caption-of-step = { $step }: { $caption }
caption-marked = { $caption } ({ $mark } ドライブによる制限ではない)
caption-outlined = { $caption } (枠のみ: ドライブによる制限ではない)
figure-queue-depth = キュー深度
figure-service-time = { $class } サービス時間の { $figure }
figure-response-time = { $class } 応答時間の { $figure }
figure-service-time-by-percentile = パーセンタイル別の { $class } サービス時間{ $at }
figure-response-time-by-percentile = パーセンタイル別の { $class } 応答時間{ $at }
figure-against-throughput = スループットに対する{ $what } ({ $axis }別)
figure-overload = 。軸を超える過負荷の点は省略
figure-at = 、{ $axis } { $value }
figure-throughput = スループット
figure-ops-over-time = ops/s の時間推移{ $at }
figure-of-each-drive = ドライブごとの { $figure }{ $at }
figure-outliers = 測定区間の時間に対する外れ値{ $at }、原因別 ({ $count } 件)
figure-slowest-outliers = 測定区間の時間に対する最も遅い外れ値{ $at }、原因別 ({ $all } 件中 { $count } 件)
figure-drive = ドライブ { $number }
figure-of-instances = 全インスタンスを合わせた p99 と、各インスタンスの p99 の平均{ $at }
figure-pooled = 合算
figure-mean-of-instances = 各インスタンスの p99 の平均
figure-by-neighbour = 隣接負荷別のレイテンシ{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = 各ステップの代表値
figures-megabytes = 各負荷の最大 MB/s (共通の目盛り)
figures-part = { $caption } ({ $number } / { $count })
verdict-near-ceiling = この負荷形状で Dyno がここで生成できる量の { $share }
remedy-near-ceiling = プロセッサに空きがあればスレッドを増やすか、要求を大きくするか、高速なホストを使う
verdict-ceiling = 負荷生成側の上限 { $ops } ops/s
figure-claimed = 。主張できる差: { $differences }
claimed-at = { $subject } { $value }（{ $place }）
claimed-against = { $value }（対 { $other }）
figure-a-minute = 1 分あたりの { $class }

section-durable = 永続化のコスト
durable-how = 同じ書き込みを異なる方法で永続化した結果を、書き込みスレッド数ごとに示す。FUA（force unit access）と fdatasync のフラッシュは、データが不揮発性メディア、または電源断に耐えるキャッシュに入った時点で完了する。割合は、永続化しない同じ書き込みの ops/s に対するもの。割合が 100 % に近いままのドライブは、不揮発性と申告するキャッシュから永続書き込みに応答している。申告が正しければ電源断保護があるが、それを確かめられるのは電源断試験であり、この測定ではない。
durable-not = 永続化なし
durable-fdatasync = 書き込み + fdatasync
durable-commit = コミット
durable-share = 永続化なし比
durable-commits = データベースのエンジンがログに同期したコミット
durable-figure = { $step }（別の方法で永続化した、または永続化しない同じ書き込みと並べて）：ops/s、対数目盛

# Load from several hosts
section-hosts = 複数ホストからの同時負荷
hosts-how =
    これらのバンドルの測定点は、各ホストの時計で同じ絶対時刻に始まりました。各ホストの時計は実行の前後に同じ
    基準と比較しています（NTP、RFC 5905 第 8 節：オフセットはホストの時計に加える値で、真の値は最短往復時間の半分
    以内にあります）。共通区間は、基準の時計で見て全ホストの区間が重なる部分の、最長の区間に対する割合で、時計の不確か
    さを差し引いています。99 % 以上であれば ops/s と MB/s は合計、レイテンシは全ホストの統合ヒストグラムのもので、そ
    うでなければ合計は示しません。
hosts-unchecked = 合計なし：{ $host } の時計は実行の前後両方では比較されていません。
hosts-clock =
    合計なし：{ $host } の時計は基準から { $offset } ずれており、上限は { $limit } です。全ホストを同じ時刻サーバーに
    合わせて再測定してください。
hosts-missing = { $step }（反復 { $repeat }）の合計なし：{ $host } は最後まで測定していません。
hosts-apart = { $step }（反復 { $repeat }）の合計なし：ホストの区間の重なりは最長の { $share } です。
column-host = ホスト
column-offset-before = 実行前の時計のずれ
column-offset-after = 実行後の時計のずれ
column-offset-limit = 上限
column-reference = 基準
column-common-window = 共通区間

# Database servers
section-database-servers = データベースサーバー別の結果
database-servers-how =
    トランザクション数は全反復の合計です。各サーバーの毎秒の値は反復の平均であり、サーバーの値の和
    が合計になります。統合 p99 は全サーバーのヒストグラムを合わせた全トランザクションの p99 です。
    並べて、複数の仮想マシンのレビューが示すサーバー別 p99 の平均を示します。変動係数はサーバーの
    毎秒の値の標準偏差を平均で割ったものです。プロセッサとメモリ上限はカーネルの報告値で、上限はペ
    ージキャッシュを含みます。
column-servers = サーバー数
column-server = サーバー
column-processors = プロセッサ
column-memory-limit = メモリ上限
column-transactions = トランザクション数
column-transactions-per-s = トランザクション/s
column-transactions-per-s-sum = トランザクション/s、合計
column-variation = 変動係数
all-servers = 全サーバー
server-of-drive = { $drive }、サーバー { $server }
shared-processors = { $processors } (共有)
verdict-load-set = 負荷のワーカー専用のプロセッサ { $count } 個の使用率は { $busy }
verdict-servers-set = データベースサーバー専用のプロセッサ { $count } 個の使用率は { $busy }
remedy-load-set = 負荷のプロセッサを増やす (ストリームの `cpus`)、またはサーバーのプロセッサを減らす

## フリート
section-fleet = フリート
fleet-unknown-model = 型番不明
fleet-drives = { $count } 台
fleet-figure = 各ドライブの { $metric }（型番とファームウェア別）。白抜き：同じ型番の他のドライブから外れている
fleet-figure-by-host =
    各ドライブの { $metric }（型番とファームウェア別、ホストごとに1行）。白抜き：同じ型番の他のドライブから外れている
fleet-ordered = { $model } の各ドライブの { $metric } と繰り返しの範囲。{ $drive } が平均から最も離れている
fleet-in-order = ドライブ（小さい順）
fleet-how =
    1台のドライブは1つの被験体、またはグループ内の1台です。型番の水準はドライブにわたる幾何平均、ドライブの水準は繰り返しにわたる幾何平均です。散らばりは対数の標準偏差で、一元配置変量効果によります（ドライブは繰り返しを超える分、ホストはドライブを超える分）。ステップの全ドライブを合わせて5 %の水準で他と異なるドライブを外れているとします。型番の区間はドライブを変量効果とし、ステップの全型番について同時に成り立ちます。
fleet-better = ドライブ単位で { $better } は { $worse } より { $by } 優れている（{ $drives }）
fleet-open = ドライブ単位で { $first } と { $other } は区別できない：{ $by }（{ $drives }）
fleet-apart = { $drive } は { $model } の他の { $others } 台から外れている：{ $value }、他は { $usual }
fleet-apart-health = { $sentence }（ヘルスログ：{ $log }）
fleet-more-apart = { $model } のさらに { $count } 台が外れている
fleet-barred = 次の点が異なるため型番を比較しない：{ $what }
fleet-lead = { $models } 型番の { $drives }。{ $apart ->
        [0] 外れているドライブはない
       *[other] { $apart } 台が外れている
    }。
fleet-runs = { $count } 個のバンドル（開始 { $first } から { $last }）
fleet-not-shown = 全 { $drives } 台。標本となるだけの台数がある型番はない。
column-model = 型番
column-firmware = ファームウェア
column-hosts = ホスト
column-apart = 外れ
column-scatter = { $of }の散らばり

# Imported figures on the first page
published-lead = 公表値のまま（反復なし）：{ $sentence }
published-more = { $better } は { $worse } より { $what } が{ $by } 多い{ $at }
published-lower = { $better } は { $worse } より { $what } が{ $by } 低い{ $at }
published-rival-more = { $worse } より{ $by } 多い{ $at }
published-rival-lower = { $worse } より{ $by } 低い{ $at }
published-at = { $place }
published-no-difference = 公表値のまま（反復なし）：出典の値はすべての対象で等しい。
published-more-measures = ほかの { $count } 項目は「概要」にある。
up-to = 最大 { $value }
between-clauses = ；
figure-published = 。公表値による差：{ $differences }
caveat-published = 反復なしで公表された値：差はすべて計算によるもので、主張ではない。
column-value = 値
column-in-unit = { $name }［{ $unit }］
column-of-class = { $figure }（{ $class }）

# Losses, and what could not be compared
more-losses = { $subject } より競合が優位であるという主張はほかに { $count } 件あり、「すべての主張」に示す。
and-not-compared = { $sentence }、{ $subject } は比較できない：{ $cause }
none-compared-because = ここで比較できる対象の組はない：{ $cause }。
no-rank-because = 順位は付けられない：{ $causes }。
no-rank-nothing-measured = 何も測定されていないため、順位は付けられない。
no-rank-never-together = 同じ測定点で測定された対象の組がないため、順位は付けられない：同じスイープを指定する。
cause-failed = { $subject } は失敗した（{ $why }）ため、原因を取り除いて測定し直す
cause-not-steady = { $subject } は定常状態に達していない（{ $why }）ため、プリコンディショニングを長くする
cause-drifted =
    { $subject } の ops/s は測定区間内に最大 { $change } ドリフトしたため、プリコンディショニングかウォームアップを
    長くする
cause-missed-rate =
    { $subject } は要求レートの { $share } しか達成していないため、要求レートを下げるか、スレッド数またはキュー深度
    を増やす
cause-stream-missed-rate =
    { $subject } の読み取りと並行するストリーム { $stream } は要求レートの { $share } しか達成していないため、要求レー
    トを下げるか、スレッド数またはキュー深度を増やす
cause-late =
    { $subject } への要求の { $share } は発行が遅れたため、ワーカーを増やすか、ほかに使われていないプロセッサーを割り
    当てる
cause-few-repeats-all = どの測定点も測定が 3 回未満であるため、比較の前に反復する（`--repeats 5`）
cause-few-repeats =
    { $points } 測定点のうち { $count } 点は測定が 3 回未満であるため、比較の前に反復する（`--repeats 5`）
unsteady-excursion = 変動幅 { $excursion }、許容は { $allowed } まで
unsteady-slope = 傾き { $slope }、許容は { $allowed } まで
unsteady-too-few = 測定は { $rounds } ラウンドのみ
