# Japanese: the text of briefs. A line that begins with four spaces continues the one before.
#
# One word for each concept, as Micron's briefs and the Japanese press write it, and what is never
# written in its place. `crates/report/src/language/tests_words.rs` reads this table and holds the messages to it.
#
# | concept | word | never |
# |---|---|---|
# | latency | レイテンシー | レイテンシ、遅延時間 |
# | 99th percentile read latency | パーセンタイル | 百分位、パーセンタイル値 |
# | random | ランダム | 無作為、乱数アクセス |
# | sequential | シーケンシャル | 順次、シーケンシャルリード、シーケンシャルライト |
# | read | 読み取り | 読み出し、読取り、読取、読込、読み込み、ランダムリード |
# | write | 書き込み | 書込み、書込、ランダムライト |
# | op | オペレーション | 操作 |
# | subject | 対象 | 被験体、被験者、サブジェクト |
# | sweep | スイープ | 掃引 |
# | repeat | 反復 | 繰り返し、繰返し、くり返し |
# | scatter | ばらつき | 散らばり、バラツキ |
# | sample | サンプル | 標本 |
# | model of a drive | モデル | 型番、機種 |
# | engine | エンジン | 機構 |
# | stream | ストリーム | データ流 |
# | step | ステップ | 工程 |
# | throughput | スループット | 処理能力 |
# | queue depth | キュー深度 | キューデプス、待ち行列 |
# | bottleneck | ボトルネック | 隘路 |
# | steady state | 定常状態 | 安定状態 |
# | preparation | 事前準備 | 前準備、プレコンディショニング |
# | noisy neighbour | ノイジーネイバー | 隣接負荷、うるさい隣人、騒がしい隣人 |
# | write pressure | 書き込み負荷 | 書き込み圧力、ライトプレッシャー |
# | thermal throttling | サーマルスロットリング | 温度による性能抑制、熱制限 |
# | endurance | 耐久性 | 耐久力、エンデュランス |
# | durable | 永続 | 耐久書き込み |
# | power, of a drive | 消費電力 | 電力消費、パワー |
# | directory | ディレクトリ | フォルダ |
# | confidence interval | 信頼区間 | 信頼間隔 |
# | significant difference | 有意差 | 主張 |
# | source of a procedure | 手順の出典 | 引用元 |
# | source of figures | 数値の出典 | 典拠 |
# | plain style | である | です、ます。、ました、ません、ください |
# | full-width brackets | （、） | (、) |
# | full-width colon | ： | : |

## Lists, and what is not known
percent = %
list-comma = 、
list-and = { $first }、{ $last }
clause-break = 、
in-brackets = （{ $what }）
aside = （{ $what }）
with-detail = { $what }（{ $detail }）
date-unknown = 日時不明

## Sections
appendix = 付録 { $letter }　{ $title }
section-summary = 概要
section-results = 測定結果
section-tpcc = TPC-C
section-training = アクセラレータ使用率
section-kv-cache = 言語モデルのキー・バリュー・キャッシュ
section-vector-search = ベクトル検索
section-replay = 記録された負荷の再生
section-limit = レイテンシー上限での負荷
section-multiple = 維持できる最大の負荷倍率
section-equal-latency = 等レイテンシーでの負荷
section-fairness = 試験条件の違い
section-findings = 有意差の一覧
section-differences = 差の一覧
section-figures = その他の図
section-energy = 消費電力とエネルギー
section-write-cost = 書き込みのコスト
section-limits = ボトルネック
section-outliers = 外れ値
section-drives = ドライブ別・インスタンス別
section-preparation = 事前準備
section-conclusion = 結論
section-marks = 留意点
section-method = 測定方法：定義と数式
section-data = 全データ
section-server = サーバー
section-disclosure = 測定環境の詳細

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
    区間はすべて、このホストとこれらのドライブにおける反復間のばらつきから求めた。結果が成り立つのは、これらの
    ドライブ、このファームウェア、このホストとソフトウェア、これらの負荷に限られる。詳細は「測定環境の詳細」に
    記載する。あるモデルの 1 台が、そのモデル全体を代表するわけではない。

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
maximum = 最大（クローズドループ）
at-least = 少なくとも { $difference }
per-op = 1 オペレーションあたり { $energy }

## Metrics
mean = 平均
latency = { $figure } レイテンシー
latency-of = { $figure } { $class } レイテンシー
response-time = { $figure } 応答時間
response-time-of = { $figure } { $class } 応答時間
ops-per-watt-by = 1 ワットあたり ops/s（{ $class }、{ $kind }）
mb-per-watt-by = 1 ワットあたり MB/s（{ $class }、{ $kind }）
energy-per-op-by = 1 オペレーションあたりのエネルギー（{ $class }、{ $kind }）
energy-per-tb-by = 1 TB あたりのエネルギー（{ $class }、{ $kind }）
write-amplification = 書き込み増幅率
new-orders-per-minute = 毎分の New-Order 数
of-part = { $part } の { $figure }
per-minute = { $class }/分
percentile = { $value }パーセンタイル
metric-of-instrument = { $metric }、{ $class }（{ $kind }）

## Axes, and places on them
axis-threads = スレッド数
axis-depth = キュー深度
axis-asked-ops = 目標 ops/s
axis-asked-rate = 目標レート
axis-load = 負荷
axis-block = ブロックサイズ
axis-instances = インスタンス数
axis-of-stream = { $stream } の{ $key ->
        [threads] { axis-threads }
        [depth] { axis-depth }
        [rate] { axis-asked-rate }
        [load] { axis-load }
        [block] { axis-block }
        [instances] { axis-instances }
        [scale] { axis-scale }
        [device] { axis-trace-device }
        [start] { axis-trace-start }
        [remap] { axis-trace-remap }
        [pace] { axis-trace-pace }
        [search_list] { axis-search-list }
        [beam] { axis-beam }
       *[other] { $key }
    }
place-on-axis = { $what }、{ $axis } { $value }
at-one-thread = （1 スレッド）
at-threads = （{ $values } スレッド）
at-depth = （キュー深度 { $values }）
at-ops-asked = （目標レート { $values } ops/s）
at-rate-asked = （目標レート { $values }）
at-load = （負荷 { $values }）
at-maximum-load = （最大負荷）
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
within-the-latency-limit = （レイテンシー上限内）
on-average-over = （{ $count } 測定点の平均）
on-average-over-loads = （{ $count } つの等負荷の平均）

## Claims
difference-footnote =
    差：優位な対象、差の大きさ、同時 95% 信頼区間の順に示す。高いほど良い指標では増加率（上位 ÷ 下位 − 1）、
    レイテンシーでは減少率（1 − 新 ÷ 旧）とする。▲ 有意、≥ 下限値（優位な対象の制約要因はドライブではな
    い）、≈ 有意差なし、‡ 順位なし（劣位の対象の制約要因はドライブではない）。1 つの報告書のすべての区間
    は、95% の確率で同時に成り立つ。
claim-more = { $better } は { $worse } より { $what } が { $by } 高い{ $at }
claim-lower = { $better } は { $worse } より { $what } が { $by } 低い{ $at }
claim-less = { $better } は { $worse } より { $what } が { $by } 少ない{ $at }
claims-more = { $better } は { $rivals }{ $at }
claims-lower = { $better } は { $rivals }{ $at }
claims-less = { $better } は { $rivals }{ $at }
rival-more-of = { $worse } より { $what } が { $by } 高い
rival-times-of = { $what } が { $worse } の { $by }
rival-lower-of = { $worse } より { $what } が { $by } 低い
rival-less-of = { $worse } より { $what } が { $by } 少ない
rival-more = { $worse } より { $by } 高い
rival-times = { $worse } の { $by }
rival-lower = { $worse } より { $by } 低い
rival-less = { $worse } より { $by } 少ない
with-knob = { $subject } の設定は { $knob }
claim-family = 反復 { $repeats } 回、{ $comparisons } 件の比較にわたる同時信頼区間
claim-sessions = セッションを変量効果とする：{ $better } と { $worse }
claim-largest-of = 有意差のある { $points } 測定点のうち最大のもの
claim-untested = 測定区間 { $window } はドリフトの検定には短い
claim-no-drive = { $better } の要求はドライブに達していない
claim-host-limited = { $better } はホストが制約要因のため、ドライブの性能はさらに高い可能性がある
calculation-how = { $calculation }、{ $how }
adjusted-for-order = 水準は測定順の影響を補正済み
of-common-repeats = 水準は両方が完了した反復のもの
figures-beside = { $own } と { $other }
in-separate-runs = 別々の実行で測定
order-not-given = 測定順の記載なし
calculation-less = { $calculation }、{ $difference } 短い
of-step = { $step }：{ $sentence }
full-stop = { $sentence }。
crossed-lower = { $until } までは { $before } の { $what } が低く、{ $from } からは { $after } の方が低い
crossed-higher = { $until } までは { $before } の { $what } が高く、{ $from } からは { $after } の方が高い
differs = { $what } が異なる（{ $values }）
not-comparable = { $other } と { $first } は比較できない：{ $differences }。
not-comparable-in =
    { $step } では { $other } と { $first } は比較できない：{ $differences }（その違いを調べる場合は --vary で
    指定する）。

## What a claim is of
on-one-device = 同一デバイス上での比較
of-these-two-drives = この 2 台のドライブに限る
of-two-drives = 2 台のドライブ { $first } と { $other } に限る
drives-each = 各 { $count } 台
drives-of-two = { $first } 台と { $other } 台
of-these-drives = これらのドライブに限る

## Bottlenecks
evidence-and-remedy = { $evidence }。ドライブを測定するには：{ $remedy }
limit-drive = ドライブ
limit-cpu = ホスト CPU
limit-memory = メモリ
limit-no-drive = ドライブへの要求なし
limit-control-group = コントロールグループ
limit-neighbour = ノイジーネイバー
limit-generator = 負荷生成側
limit-standstill = Dyno の停止
limit-rate = 目標レート
limit-thermal = サーマルスロットリング
limit-locks = ロック待ち
limit-undecided = 判定不能
limiter-cpu = ホストのプロセッサ
limiter-memory = メモリ
limiter-no-drive = ホスト単独
limiter-control-group = コントロールグループの制限
limiter-neighbour = 同じドライブを使う他のプログラム
limiter-generator = 負荷生成側
limiter-standstill = Dyno 自体の停止
limiter-locks = ワーカー間のロック待ち
limiter-limited = { $limiter } が { $count } 点
limiter-count = { $limiter } が { $count } 点

## Caveats
caveat-not-measured = 測定されていない
caveat-failed = { $count } 回の反復が失敗した
caveat-not-steady = ドライブが定常状態に達していなかった
caveat-no-flush = ドライブは揮発性書き込みキャッシュが有効と報告するが、カーネルはライトスルーとして扱い、フラッシュも FUA も送らない：この書き込みは永続化されていない
caveat-drifted = 測定区間内で ops/s が { $change } 変化した
caveat-missed-rate = 目標レートの { $share } にとどまった
caveat-stream-missed-rate = ストリーム { $stream } は目標レートの { $share } にとどまった
caveat-late = 要求の { $share } が予定より遅れて発行された
caveat-littles-law =
    ops/s × 平均レイテンシーは、平均同時実行数の { $share }（リトルの法則）：測定区間が最も遅い要求に対して短いか、定常ではない
caveat-few-repeats = 測定は { $count } 回のみ。比較するには反復が必要（`--repeats 5`）
caveat-every-point-few-repeats = どの測定点も測定は { $count } 回のみ。比較するには反復が必要（`--repeats 5`）
caveat-not-the-drive = 制約要因はドライブではなく { $limit }：{ $why }
caveat-no-drive = ドライブは測定されていない：{ $why }
caveat-of = { $places }、{ $subject }：{ $caveat }

## Notes
notes = 注記
note-moved-alone-ops =
    { $subject } の反復 { $repeat } は他の反復の { $factor } 倍の ops/s だった。その水準と比の精度は下がる
note-moved-alone-p99 =
    { $subject } の反復 { $repeat } の p99 は他の反復の { $factor } 倍だった。その水準と比の精度は下がる
note-moved-ops =
    反復 { $repeat } では { $subjects } つの対象すべてが通常の { $factor } 倍の ops/s だった。水準の精度は下が
    るが、反復内の比は影響を受けない
note-moved-p99 =
    反復 { $repeat } では { $subjects } つの対象すべての p99 が通常の { $factor } 倍だった。水準の精度は下がる
    が、反復内の比は影響を受けない
note-device-errors =
    { $place }、{ $subject }：ドライブまたはそのリンクがエラーを記録した：{ $errors }
errors-media = 訂正不能データエラー { $count } 件（ヘルスログ）
errors-log = エラーログのエントリ { $count } 件
errors-link-correctable = 訂正された PCIe エラー { $count } 件
errors-link-nonfatal = 訂正されなかった非致命的 PCIe エラー { $count } 件
errors-link-fatal = 致命的 PCIe エラー { $count } 件
note-apart =
    { $place }、{ $subject }：ドライブ { $drive } は同じモデルの他の { $others } 台から外れている
    （{ $ops } ops/s、他は { $usual } ops/s）
drives-and-repeats = { $drives }、ばらつきはドライブ間 { $by }、反復間 { $repeats }
drives-scatter = { $drives }、ばらつきはドライブ間 { $by }
note-models =
    ドライブ単位では { $better } は { $worse } より ops/s が { $by } 高い（{ $drives }）。この区間はドライブを
    変量効果として扱う単独のもので、報告書全体の同時区間ではない
note-models-open =
    ドライブ単位では { $first } と { $other } の ops/s に有意差はない：{ $by }（{ $drives }）。この区間はドラ
    イブを変量効果として扱う単独のもので、報告書全体の同時区間ではない

## The first page
nor = 、
apart-there = { $pairs } は別々の実行で測定された
undecided-there = { $pairs } の間には有意差がない
two-sentences = { $first }{ $second }
changes-more-times = { $sentence }優位な対象はさらに { $count } 回入れ替わる。
open-not-limited =
    { $first } と { $other } は、ドライブが制約要因ではないため、{ $what } では順位を付けられない。
open-too-few =
    { $first } と { $other } の { $what } には有意差がない。{ $repeats } 回の反復では判定に足りない。
open-separate-runs =
    { $first } と { $other } は別々の実行で測定された。{ $what } の差には時期の違いも含まれるため、差は示さない。
open-order-not-given =
    { $first } と { $other } の測定順は記載がない。{ $what } の差には時期の違いも含まれ得るため、差は示さない。
open-difference = { $first } と { $other } の { $what } には有意差がない。差は { $difference }。
alone-watts = { $watts } W
alone-limited-by-drive = ボトルネックはドライブである。
alone-limited-from = { $at }以上ではドライブがボトルネックである。
alone-limited-otherwise = ボトルネックはドライブではない：{ $limit }。
level = { $step }：{ $subject }、{ $figure }{ $at }。
conditions-published = 公表値（反復なし）。測定条件は数値の出典に記載されたもので、Dyno は確認していない。
conditions-imported = 取り込み値。測定条件は数値の出典に記載されたもので、Dyno は確認していない。
measured-times = 各点 { $count } 回測定
window-a-point = 測定区間 { $window }
kernel = カーネル { $release }
brackets-are-intervals = 角括弧内は、報告書全体で同時に成り立つ 95% 信頼区間
no-rank-none-measured = 最後まで測定できた点がないため、順位は付けられない。最初の失敗：{ $first }
no-rank-barred = 順位は付けられない。{ $reason }
no-rank-not-comparable-in = { $metrics } で比較できる対象の組み合わせがないため、順位は付けられない。
no-rank-separate-runs =
    対象が別々の実行で測定されたため、ドライブの順位は付けられない。1 つの計画で交互に測定する。
no-rank-order-not-given =
    対象を交互に測定したことが出典に記載されていないため、ドライブの順位は付けられない。
no-rank-chance =
    偶然の範囲を超える差がないため、順位は付けられない。反復を増やすと区間は狭くなる（`--repeats 10`）。
see-bottleneck = 「ボトルネック」を参照
to-measure-the-drive = ドライブを測定するための対処：{ $change }

## Imported figures

## What a step's figures come to
none-compared-here = ここで比較できる対象の組み合わせはない。
knee-at = { $subject } は { $load } ops/s（p99 は { $p99 }）
knees = 曲線の屈曲点：{ $knees }。
p99-from-to = { $subject } は { $low }（{ $from }）から { $high }（{ $to }）へ
p99-moves = p99 の推移：{ $moves }。
ops-and-p99-change = { $subject } の ops/s は { $ops }、p99 は { $p99 } 変化
ops-and-p99 = { $subject } は { $ops }、{ $p99 }
from-to-threads = { $from } スレッドから { $to } スレッドまでで、{ $changes }。
from-to-instances = { $from } インスタンスから { $to } インスタンスまでで、{ $changes }。
from-to = { $from } から { $to } までで、{ $changes }。
drive-limited = { $drive ->
        [0] { $points } 測定点のうち、ドライブが制約要因だった点はない。
       *[other] { $points } 測定点のうち { $drive } 点でドライブが制約要因だった。
    }
drive-limited-otherwise = { $drive ->
        [0] { $points } 測定点のうち、ドライブが制約要因だった点はない。制約要因は { $others }。
       *[other] { $points } 測定点のうち { $drive } 点でドライブが制約要因だった。ほかの制約要因は { $others }。
    }
between-sentences = {""}

## Bottlenecks, in their section
see-bottleneck-marks = † ドライブ以外が制約要因：「ボトルネック」を参照。
see-caveats-marks = † ドライブ以外が制約要因：「留意点」を参照。
bottleneck-how =
    各測定区間にカーネルが計数したプロセッサ、デバイス、Dyno 自身のプロセスの値と、Dyno が発行していた要求から
    判定した。負荷自身の要求の少なくとも半分がデバイスで処理中だった測定点、またはワーカーがデバイスで処理中の
    要求を待っていた測定点は、ドライブが制約要因とする。フラッシュの時間はデバイスに含める。
bottleneck-sum =
    { $points } 測定点のうち { $drive } 点でドライブが制約要因だった。{ $others } 点は他の要因に制約されてお
    り、{ $mark } を付けた。これらはドライブの順位付けには使えない。
bottleneck-rest = 残りの測定点は、目標レートで動作したか、判定不能である。

## Outliers
outliers-how =
    各測定点で応答時間が最も長い 1,000 要求を示す（全要求の 100 分の 1 を上限とする）。割合は応答時間の合計に
    対するもの。ドライブ：要求がカーネルに渡されており、プロセッサ待ちの可能性がある時間が 5 分の 1 以下。ホス
    ト：半分以上がプロセッサ待ちか、Dyno 全体が停止していた。それ以外は不明とし、ドライブが原因とはみなさな
    い。判定規則とその限界は docs/outliers.md に記載する。
outliers-line =
    { $place }：最も遅い { $count } 要求（{ $least }～{ $most }）の内訳はドライブ { $drive }、ホス
    ト { $host }、不明 { $unknown }
outlier =
    { $place }、反復 { $repeat }、{ $seconds } 時点：{ $class } { $latency }、サイズ { $size } バイト、位
    置 { $address }（{ $stream }、ドライブ { $drive }、ワーカー { $worker }、キュー深
    度 { $depth }）。{ $cause }：{ $reason }
outlier-beside = { $outlier }。同時刻の状況：{ $beside }
slow-commands-how =
    ドライブ自身のカウンター（OCP レイテンシーモニター、ログ C3h）による遅いコマンドの数と、サービス時間が同じ
    しきい値以上のオペレーションの Dyno による数。測定区間の、全反復の合計。ドライブのカウンターは、他の利用者と他の
    名前空間のコマンドも含む。
column-slow-by-drive = ドライブの計数
column-slow-by-dyno = Dyno の計数
column-outliers = 外れ値
column-from-latency = 最小値
column-mostly-unknown = 不明の主な理由
cause-drive = ドライブ
cause-host = ホスト
cause-unknown = 不明
reason-at-drive = ワーカーはドライブの完了だけを待っていた
reason-waited = ワーカーがプロセッサを待った
reason-stopped = Dyno が停止していた
reason-behind = 先行する要求の完了待ち
reason-not-at-device = デバイスで処理中の要求がなかった
reason-other-drives = 他のドライブも同時に停滞した
reason-not-direct = ダイレクト I/O ではない
reason-both = ホストとドライブの両方が関与した可能性
reason-not-watched = 観測なし
beside-waited = プロセッサ待ち { $time } 以上
beside-switches = コンテキストスイッチ { $count } 回
beside-steal = スチール時間 { $time } 以下
beside-stalled = デバイスの完了なし { $time }
beside-idle = デバイスの要求なし { $time }
beside-throttled = サーマルスロットリング
beside-health-read = ヘルスログの読み取り中
beside-interrupts = 割り込み { $rate }
beside-processor = 使用率が最も高いプロセッサ { $busy }

## Multiples of a load
multiple-found = { $subject } が維持できる負荷は { $multiple } [{ $low }～{ $high }]（探索 { $repeats } 回）。
multiple-at-least = { $subject } が維持できる負荷は少なくとも { $multiple }（試した倍率はすべて合格）。
multiple-holds =
    { $stream } の要求のうち { $limit } を超えるものが { $share } 以下で、負荷が予定から遅れない倍率を合格とす
    る。表は、その時間以上かかった要求の割合を示す。
multiple-holds-fewer = { $limit } 以上かかる要求は { $share } 未満でなければならない。
multiple-holds-fewer-in = どの { $period } の期間でも、{ $limit } 以上かかる要求は { $share } 未満でなければならない。計測区間がそれより短い場合は、その全体を一つの期間とする。
multiple-how =
    不合格となった最小の倍率を下回り、全ステップが合格した最大の倍率を、反復の幾何平均で示す。区間は反復から求
    め（95%、3 回以上）、少なくとも合格した値から不合格となった値までを含む。
column-time = 時間
column-holds = 判定
time-response = 応答
time-response-worst = 応答（最悪の { $period }）
time-service = サービス
holds = 合格
does-not-hold = 不合格

## More columns of tables
column-subject = 対象
column-limited-by = 制約要因
column-because = 根拠
column-at = 条件
column-repeat = 反復
column-cause = 原因
column-stream = ストリーム
column-asked = 目標
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
column-p99-pooled = p99、統合
column-mean-of-p99s = p99 の平均
column-power-of = 電力の対象
column-energy = エネルギー
column-idle = アイドル
column-knee-ops = 屈曲点、ops/s
column-knee-p99 = 屈曲点、p99
column-load-at-equal-p99 = 等 p99 での負荷
column-p99-at-equal-load = 等負荷での p99、平均
column-most-within = { $stream } の { $percentile } ≤ { $limit } を満たす最大の { $axis }
column-first-beyond = 最初に不合格となった値
column-done = 結果
column-verdict = 判定
column-rounds = ラウンド数
column-window = 判定区間
column-excursion = 変動幅
column-allowed = 許容値
column-slope = 傾き
column-transaction = トランザクション
column-number = 件数
column-rolled-back = ロールバック
column-slowest = 最長
column-limit-90 = 90% の上限
column-calculation = 計算
column-result = 結果
column-other-formula = 別の式

## Caveats, in their section
caveats-points = 留意点のある測定点
caveats-support-no-claim = 値は示すが、結論の根拠にはしない。
caveats-wider = 目標より広い区間
caveats-failed = 失敗した測定点
caveats-failed-note = 推定値には含めない。
caveats-oddities = 測定範囲の超過、該当キーなし
caveats-none = 留意点なし：失敗、ドリフト、目標レートの未達、測定範囲を超えるレイテンシーはいずれもなかった。
caveats-asked = 目標レートと達成レート
caveat-wider = { $place }、{ $subject }：反復 { $repeats } 回で ±{ $half }（目標は ±{ $asked }）
rates-kept = 測定点の延べ { $count } ストリームは、レートを 2% 以内に保ち、遅延発行は 1% 未満だった。
other-rates-kept = 残りの延べ { $count } ストリームは、レートを 2% 以内に保ち、遅延発行は 1% 未満だった。
oddity-overflow = { $count ->
       *[other] 1 時間を超えるレイテンシー { $shown } 件
    }
oddity-given-up = { $count ->
       *[other] トランザクション { $shown } 件（{ $share }）は、サーバーが何度もロールバックしたため断念した（レートに含ま
            ない）
    }
oddity-misses = { $count ->
       *[other] 読み取り { $shown } 件（{ $share }）は該当キーなし
    }

## Conditions, data, disclosure
nothing-differs = 把握できる範囲では、対象間の違いはドライブのみである。
grade-disqualifying = 比較不可
grade-confounder = 交絡の可能性
grade-harmless = 影響なし
data-how =
    すべてのストリームとオペレーション種別を示す。灰色は並行して動作したストリームで、主指標には含まない。レイテン
    シーはサービス時間、目標レートがある場合は応答時間で、両方があるステップでは種別の欄に示す。「全体」は読み取りと
    書き込みを合わせたもの。「≥」は下限値で、予定された要求が負荷の終了時点で未発行だったことを示す。「–」は未測定
    （そのパーセンタイルを超えるサンプルが 100 未満）。
runs = 測定
run = { $when }、dyno { $version }、反復 { $repeats } 回
run-header = { $file } · { $when } · 反復 { $repeats } 回 · dyno { $version }
resolved-plan = { $file } の解決済みプラン
server-hardware = サーバーのハードウェア
server-software = サーバーのソフトウェア
server-memory-of-step = 負荷のメモリ、{ $step }
server-memory-limit = { $size } に制限（ページキャッシュを含む。コントロールグループによる）
kernel-parameters = { $shown }（ほか { $others } 個のパラメーターは省略）
kernel-no-parameters = 結果に影響するものなし（{ $others } 個のパラメーターは省略）

## What whoever publishes a brief declares
competitor = 競合製品{ $letter }
declared-class = 製品クラスと市場：{ $class }
declared-sponsor = スポンサー：{ $sponsor }
declared-notes = 注記
declared-links = 製品ページ
declared-disclaimers = 免責事項
declared-footnotes = 脚注

## Drives and instances
drives-aggregation =
    ドライブが複数の場合、ops/s は合計、パーセンタイルは統合したヒストグラムの値である（パーセンタイルの平均で
    はない）。最小、中央値、最大は個々のドライブの値である。
drives-pooled =
    インスタンスが複数の場合、統合 p99 は統合したヒストグラム、すなわち全トランザクションの p99 である。その隣
    に、複数の仮想マシンを使うレビューにならい、各インスタンスの p99 の平均を示す。両者は異なる問いに答える値
    である。
instance-by-instance = インスタンス別：{ $step }

## Power
energy-how =
    電力は 3 列目に示す対象について、その計測器が示した値である。種類の異なる電力は比較しない。エネルギーは、
    計測値の時刻による台形則で、計測器の遅れの分だけずらした測定区間について求める。遅れ（{ $seconds } s ま
    で）は計測値が ops/s に最もよく追従する値で、同じ計測器の全測定点に共通である。計測値の欠落が区間の 1% を
    超える場合は示さない。アイドル電力は差し引かない。
meter-late = { $meter }：表示が負荷より { $late } 遅れる（補正済み）。
meter-unknown-delay = { $meter }：負荷への追従が弱く、遅れの有無を判定できない。
meter-delay-open =
    { $meter }、{ $step } { $at }：電力計の遅れがこれ以上正確に分からず、平均電力が ±{ $open } 変わり得るため、エネルギーと電力あたりの
    仕事量は求められない。
meter-too-little =
    { $meter }、{ $step } { $at }：計測値は区間の { $covered } しかなく、エネルギーは求められない。
power-meters = 電力計

## Load at equal latency, and at a limit
equal-load-how =
    屈曲点は、両軸を同じ尺度にして、曲線の両端を結ぶ直線から最も下に離れた測定点。離れ方が 10 分の
    1 未満なら屈曲点なし。等 p99（最初の対象の屈曲点の値）での負荷と、等負荷（全曲線に共通する負荷）
    での p99 は、測定点間の直線から反復ごとに読み取り、他の指標と同様に、報告書の主対象と比較する。
limit-how =
    スイープの値のうち、二分探索に必要なものだけを測定した。全反復を通じたパーセンタイルが上限以内の値を合格と
    し、不合格の値より上は調べない。レートが低い場合、測定窓はパーセンタイルに必要なサンプル数から決まる。ops が
    足りない値は測定されなかったものとする。
row-at-load = { $load } ops/s 時
row-at-p99 = p99 { $latency } 時
row-within-limit = 上限内

## All claims
findings-how =
    差があると述べるのは、同時 95% 信頼区間が「差なし」を含まない場合に限る。この報告書で述べた差のいずれかが
    誤りである確率は 5% 以下である。同じことを示す測定点が複数あれば、下限が最も大きいものを挙げる。数値は差
    が小さくなる側に丸める。留意点のある測定点は根拠にしない。
caveats-noted = 留意点は { $count } 件（「留意点」に一覧を示す）。
claims-for = { $subject } の優位点
claims-none = なし。
claims-weaker = これより小さい差 { $count } 件は各ステップの表に示す。
claim-with-basis = { $claim }（{ $basis }）。
caveats-of-claims = 留意点（これらの測定点は結論の根拠にならないか、下限値のみを示す）

## Preparation
not-steady-warning =
    { $drive } は { $rounds } ラウンド以内に定常状態に達しなかった。測定は行ったが、結果はドライブの性能より
    も、事前準備がどこで終わったかを表している可能性がある。
steady = 定常状態
not-steady = 定常状態に未達
too-few-rounds = ラウンド数が不足し、{ $metric } の定常状態を判定できない
steady-after = { $rounds } ラウンドで { $metric } が定常状態に到達（変動幅 { $excursion }、傾き { $slope }）
not-steady-within =
    { $rounds } ラウンド以内に { $metric } が定常状態に達しなかった（変動幅 { $excursion }、傾
    き { $slope }）

## Results
differences-as-published =
    差：公表値（反復なし）。上位の対象と差の大きさを示す。公表値から計算したもので、統計的な裏付けはない。
swept-along = { $axis } をスイープ
open-loop = オープンループ
closed-loop = クローズドループ
window-too-short = 測定区間 { $window }（ドリフトの検定には短い）
percentiles-response = パーセンタイルは { $class } 応答時間
maximum-is-service = 最大負荷の点ではサービス時間
percentiles-service = パーセンタイルは { $class } サービス時間
summed-over-drives = ドライブ間で ops/s を合計し、ヒストグラムを統合
summed-over-instances = インスタンス間で ops/s を合計し、ヒストグラムを統合
summed-over-drives-and-instances = ドライブ間・インスタンス間で ops/s を合計し、ヒストグラムを統合

## The scoreboard and the conclusion
result-even = 同等
result-even-by = 同等、{ $difference }
result-not-shown = 差は示されない
result-not-one-best = 首位なし
best-in-higher = { $of }ステップ中{ $count }ステップで{ $subject }の{ $what }が高い
best-in-lower = { $of }ステップ中{ $count }ステップで{ $subject }の{ $what }が低い
best-in-also = { $count }ステップでは{ $subject }
best-in-also-at = { $count }点では{ $subject }
best-in-even = { $count }ステップは同等
best-in-open = { $count }ステップでは差が示されない
best-higher = { $until }{ $subject }の{ $what }が{ $of ->
        [2] 高い
       *[other] 最も高い
    }{ $at }
best-lower = { $until }{ $subject }の{ $what }が{ $of ->
        [2] 低い
       *[other] 最も低い
    }{ $at }
even-in = { $what }の差は5%以内
open-in = { $what }の差は示されない
at-some = { $of }点中{ $count }点で
range-up-to = { $to }までは
range-from-on = { $from }からは{ $subject }
range-between = { $from }から{ $to }までは{ $subject }
range-at = { $at }では{ $subject }
limit-published = 公表された値はいずれも1回の測定であり、差は偶然の可能性がある。
limit-separate-runs = ドライブは交互に測定されていないため、これらは測定値そのものであり、有意差を示さない。
limit-specimens = 測定したのは各1台であり、同じモデルの他の個体は異なる可能性がある。
amount-one-thread = 1スレッド
amount-threads = { $value }スレッド
amount-depth = 深さ{ $value }
amount-ops = { $value } ops/s
amount-load = 負荷{ $value }
amount-maximum-load = 最大負荷
amount-one-instance = 1インスタンス
amount-instances = { $value }インスタンス
amount-rates = レートの{ $value }倍
as-measured = 交互ではない測定値による：{ $sentence }。
rises-between = { $from }から{ $to }の間に{ $subject }の{ $what }が{ $low }から{ $high }に上がる
lead-grows = { $what }での{ $subject }の{ $rival }に対する差は、{ $low }から{ $high }にかけて広がる
lead-shrinks = { $what }での{ $subject }の{ $rival }に対する差は、{ $low }から{ $high }にかけて縮まる
no-rank = ここではドライブに順位を付けられない。
no-rank-main = 順位は付けられない。{ $cause }
barred-by = { $other } と { $first } は、{ $names }が異なるため比較できない。
figure-gap = 測定なし
appendices-on-request =
    すべての点と差は `dyno export --table points` と `--table comparisons` で CSV に書き出せる。brief.toml の `sections` で本文に加えられる。
title-of-tests = { $subjects }：直接比較
of-many-steps = { $count }ステップで{ $sentence }
section-counts = 結果ごとの比較の数

## Summary
summary-how =
    ▲ 他のすべての対象に対して有意に優位。† ドライブ以外が制約要因。差：優位な対象、差の大きさ、信頼区間。
summary-how-published = 公表値（反復なし）。統計的な裏付けがないため、優位な対象に印を付けない。
mean-of-equal-loads = （等負荷の平均）
mean-of-points = （{ $count } 測定点の平均）
at-equal-latency = （等レイテンシー）
within-the-limit = （上限内）

## TPC-C
tpcc-limits =
    上限：各トランザクションの 90% がその時間内に応答すること（5.2.5.3 項）、遅延実行の Delivery の 90% がキ
    ュー投入から 80 s 以内に実行されること（2.7.2.2 項）。端末にキー入力時間と思考時間がある場合、時間は端末の
    送信からの応答時間とする。p90 または最長の応答が上限以内であれば合格とする。最小割合（5.2.3 項）
    は、Payment が 43%、Order-Status、Delivery、Stock-Level が各 4%。
tpcc-deviations =
    毎分の New-Order 数は tpmC ではない。監査を受けた結果ではなく、公表されている結果とは比較できない。仕様と
    の相違は次のとおり。外部キーは宣言しない。トランザクションはサーバー既定の分離レベル
    （MariaDB と MySQL は repeatable read、PostgreSQL と SQL Server は read committed）で実行し、行は書き込む
    前にロックする。遅延実行の Delivery は端末の接続を待ち、結果ファイルではなくレイテンシーに記録する。入力は
    ドライバーが生成し、画面はない。チェックポイント、永続性、180 日分のストレージは試験しない。キー入力時間と
    思考時間がない場合（no-wait）、トランザクションごとに端末を選び直す。ロールバックした New-Order は毎分
    の New-Order 数に含めない。
subject-times = { $subject }（{ $count } 回）
tpcc-conditions-kept =
    { $step }：3.3.2 項の 12 条件を { $subjects } のすべてで満たした。最も長い検査は { $time }。
new-orders = 毎分 { $rate } New-Order
kept-by-all = 全件合格
kept = 合格
p90-above = 不合格（p90 が超過）
committed = （コミット済み）。
committed-by-terminals = （コミット済み）。端末のキー入力時間と思考時間が決める値で、ドライブによらない。

## Method
procedure = 手順
procedure-of = { $title }（{ $protocol }）。手順の出典：{ $source }
step-named = ステップ { $step }
step-windows = ウォームアップ { $warmup }（算入しない）の後、{ $window } を測定。
service-time = サービス時間
response-time-term = 応答時間
percentiles = パーセンタイル
several-drives = 複数のドライブ・インスタンス
method-ops =
    測定区間内に完了したオペレーション数を区間の長さで割り、対象のドライブとインスタンス、主指標に含むストリー
    ムについて合計した値。
method-mb = それらのオペレーションが転送したバイト数（単位は 1,000,000 バイト）を区間の長さで割った値。
method-service-time = 要求をエンジンに渡してから完了までの時間。単一の単調クロックで測る。
method-response-time =
    レートを指定した場合に、要求の発行予定時刻から完了までの時間。遅い要求の後ろで待った時間も含む。遅れた要求
    も遅れたものとして数え、破棄しない。
method-percentiles =
    指定した割合のオペレーションが超えなかったレイテンシー。相対誤差 0.1% 以下のヒストグラムを、ワーカー、ド
    ライブ、インスタンス間で統合して求める（種別間では統合しない）。それを超えるサンプルが { $samples } 以上あ
    る場合のみ示す。
method-several-drives =
    オペレーション数とバイト数は合計する。パーセンタイルは統合したヒストグラムの値で、パーセンタイルの平均では
    ない。反復が複数ある場合は、各反復の値の幾何平均を示す。
interval = 区間（±）
gain = 増加率
reduction = 減少率
comparison = 比較
one-family = 多重比較
lower-bound = 下限値（≥）
rounding = 丸め
self-test = セルフテスト
difference = 差
method-interval =
    水準の 95% 信頼区間の半幅。3 回以上の反復の対数にスチューデントの t 分布を適用する。反復が 1～2 回の場合
    は区間を求めず、最小と最大のみを示す。
method-gain = 上位 ÷ 下位 − 1。高いほど良い指標に用いる。1.5 倍は 50% の増加となる。
    10 倍を超える場合は倍率（上位 ÷ 下位）で示す。
method-reduction = 1 − 新 ÷ 旧。レイテンシーに用いる。半分の時間は 50% の減少となる。
method-comparison =
    反復にわたる幾何平均の比。反復をブロック、測定順の位置を因子とする対数モデルによる。測定点の分散は縮小推定
    する（Smyth 2004）。
method-one-family =
    この報告書のすべての比較（全ステップ、対象、指標、測定点）を 1 つの族とし、いずれかの区間が真値を外す確率
    を合わせて 5% とする。内訳は個々の測定点が 4%、ステップ平均が 1%（ボンフェローニ法）。判定と区間は同じ
    手順による。
method-lower-bound =
    優位な対象はドライブが制約要因ではなく、他方はドライブが制約要因である場合に用いる。差は少なくとも区間の下
    端以上である。
method-rounding = 差が小さくなる側に、区間の半幅の 2 桁まで丸める。区間の両端は外側に丸める。
method-caveats =
    次の測定点（docs/claims.md を参照）は結論の根拠にしない：いずれかの反復で失敗したもの、目標レートに 2% 以
    上届かなかったもの、オープンループで要求の 1% 以上を遅れて発行したもの、定常状態まで準備するはずのドライ
    ブがそれに達しなかったもの、いずれかの反復でドリフトしたもの。

## Imported figures, in tables
published-how = 公表値（反復なし）から計算したもの。ばらつきが不明なため、統計的な裏付けはない。
published-row =
    { $step }、{ $at }、{ $figure }：{ $subject } と { $rival } は { $calculation } = { $result }（{ $other }）
formula-gain = 増加率
formula-reduction = 減少率
formula-factor = 倍率

## Specification
specification = 仕様
stated-not-measured = メーカーまたは記載の出典による値で、測定値ではない。
for-the-money = 価格性能比
for-the-money-how =
    各ステップの主指標を上記の価格で割った値。価格は測定値ではなく日々変わるため、これらの値の差について結論は
    述べない。ドライブが制約要因ではない値は除く。
price-of = { $subject }：{ $date } の価格（数値の出典：{ $source }）
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
own-protocol = { $measured } · 手順は Dyno 独自
after-source = { $measured } · 手順の出典：{ $source }
figures-after-source = { $measured } · 数値の出典：{ $source }
control-run = { $title }（対照測定：対象は同一デバイス上）

## Screens
streams-in-brackets = （括弧内：主指標に含まないストリーム）
limited-by = { $place }：{ $limit }（{ $evidence }）
stream-reached-and-late =
    { $place }、ストリーム { $stream }：目標レートの { $reached } に到達、要求の { $late } を遅れて発行、最大
    滞留数 { $backlog }
stream-late = { $place }、ストリーム { $stream }：要求の { $late } を遅れて発行、最大滞留数 { $backlog }
failed-point = { $subject }、{ $step } { $at } 反復 { $repeat }：{ $cause }
failed-points = 失敗した測定点（{ $count } 件、推定値に含まない）
axis-rates = レートの倍率
at-rates = （レートの { $values }）
at-every-multiple = （全レート倍率、{ $low }～{ $high }）
axis-scale = 記録時の速さの倍率
axis-knob = ワークロードの設定
axis-trace-device = トレースのデバイス
axis-trace-start = トレースの窓の開始位置
axis-trace-remap = オフセットの再配置
axis-trace-pace = 再生の速さ
axis-search-list = 検索リスト
axis-beam = ビーム幅
at-knob = （{ $axis } { $values }）
at-scale = （記録時の速さの { $values }）
at-every-scale = （記録時の速さの全倍率、{ $low }～{ $high }）

## Pages
page-skip = 本文へ移動
page-sections = セクション
page-footer =
    Dyno { $version } が生のヒストグラムと区間データから作成した。ここにある数値はすべてバンドルから再作成でき
    る。
page-of = { $page } / { $pages }
rows-elsewhere = { $rows } 行。HTML 版と Markdown 版、および `dyno export` の出力に含まれる。
lines-elsewhere = { $title }：{ $lines } 行。HTML 版、Markdown 版、バンドルに含まれる。

## Bottlenecks, their evidence, and what to change (crates/report/src/brief/text)
verdict-clauses = { $first }。{ $second }
verdict-processors-busy = プロセッサの使用率 { $busy }
verdict-processors-others = プロセッサの使用率 { $busy }、うち他のプロセスが { $others }
verdict-few-at-device = デバイスで処理中だったのは負荷の要求の { $share } のみ
verdict-hypervisor = ハイパーバイザーが { $stolen } を他に割り当てた
remedy-own-machine = 専用のマシン、または共有されない仮想プロセッサを使う
remedy-end-others = このホストで動作している他のプロセスを終了し、再測定する
verdict-stood-still = Dyno 自体が { $window } のうち { $still } 停止していた
remedy-stood-still =
    Dyno が停止しない環境（サスペンド、デバッガー、オーバーコミットされた仮想マシンのない環境）で再測定する
verdict-tmpfs = 対象のディレクトリはメモリ上（tmpfs）にあり、ドライブを使っていない
remedy-tmpfs = ドライブのファイルシステム上のディレクトリ、またはデバイス自体を指定する
verdict-no-data = エンジンがデータを持たないため、要求はドライブに届かない
remedy-no-data = データを格納するエンジンを使う
verdict-from-memory = 読み取りの少なくとも { $share } はメモリから返された
verdict-left-in-memory = 書き込んだバイトの { $share } が終了時にデバイスへ届いていなかった
remedy-longer-window = 開始前にメモリが一杯になるほど長い測定区間にする
remedy-direct-or-longer-window =
    `direct = true` を指定するか、開始前にメモリが一杯になるほど長い測定区間にする
remedy-dataset-beyond-memory = メモリより大きいデータセットにする
remedy-dataset-of = { $size } のデータセットにする
remedy-direct-or = `direct = true` を指定するか、{ $other }
remedy-smaller-cache = エンジン自体のキャッシュを小さくするか、データセットを大きくする
remedy-without-holes =
    穴のないデータセットを使う（`fill` を指定する）。書き込まれていないブロックや破棄されたブロックは、デバイス
    から読み取られない
remedy-dataset-fits = データセット（{ $dataset }）が { $memory } のメモリに収まる。{ $how }
verdict-group-reads =
    コントロールグループ（{ $group }）の制限である読み取り { $limit } IOPS の { $share } に達した
verdict-group-writes =
    コントロールグループ（{ $group }）の制限である書き込み { $limit } IOPS の { $share } に達した
verdict-group-read =
    コントロールグループ（{ $group }）の制限である読み取り { $limit } の { $share } に達した
verdict-group-written =
    コントロールグループ（{ $group }）の制限である書き込み { $limit } の { $share } に達した
remedy-control-group =
    このコントロールグループの外で Dyno を起動するか、制限を上げる（`io.max`、バージョン 1 では
    blkio.throttle）
verdict-cpu-limit =
    コントロールグループの制限であるプロセッサー { $cores } 個により、周期の { $share } で停止された
remedy-cpu-limit =
    このコントロールグループの外で Dyno を起動するか、制限を上げる（`cpu.max`、バージョン 1 では
    cpu.cfs_quota_us、コンテナーでは `--cpus`、Kubernetes では `limits.cpu`）
verdict-neighbour =
    デバイスの時間の { $share } が他の要求に費やされた（読み取り { $read }、書き込み { $written }）
remedy-neighbour =
    ドライブを使用している他のプロセスを終了する（`iotop -o` で特定できる）か、他に使用されていないドライブを
    測定する
verdict-late = オペレーションの少なくとも { $share } は Dyno 自体による発行が遅れた
verdict-late-p99 =
    オペレーションの少なくとも { $share } は Dyno 自体による発行が遅れ、応答時間の p99 はサービス時間
    の p99 の { $ratio } 倍である
remedy-late = レートに対してワーカーを増やすか、レートを下げるか、他に使用されていないプロセッサを使う
remedy-late-on-idle-host =
    アイドル状態のプロセッサを深いスリープに入れない（`cpupower idle-set --disable-by-latency 0`）か、
    仮想マシンではないホストを使う
verdict-rate-reached = 目標レートの { $share } に達した
verdict-throttled = ドライブが測定区間の { $share } でスロットリングした
verdict-thinks = 処理中の要求は { $share }。要求の間にはキー入力時間と思考時間がある
verdict-too-few-made = 同時に発行できる要求のうち処理中であったのは { $share } のみで、Dyno はそれ以上生成できない
remedy-too-few-made = スレッドを増やしてそれぞれのキュー深度を下げるか、要求を大きくする
verdict-no-device = デバイスが検出されない
verdict-at-device =
    負荷自体の要求は測定区間の { $window } でデバイスの処理を受けており、同時に発行できる要求
    の { $requests } に当たる
verdict-at-device-flushing =
    負荷自体の要求は測定区間の { $window } でデバイスの処理を受けており（うちフラッシュ { $flushing }）、同時に発行
    できる要求の { $requests } に当たる
verdict-processors-unknown = プロセッサ時間は不明
verdict-one-core = ワーカーは 1 つで、そのコアの使用率は { $busy }
verdict-computed = ワーカーは時間の { $share } を計算に費やした
verdict-own = { $evidence }、うち負荷自体が { $own }
verdict-own-and-servers = { $evidence }、うち負荷自体が { $own }、そのデータベースサーバーが { $servers }
remedy-server-processors = サーバーのプロセッサを増やすか、キャッシュに収まらないデータセットにして、ドライブへの要求を増やす
remedy-processors =
    プロセッサを増やすか高速なものにする、または 1 バイトあたりの計算量が少ない負荷（大きな要求、圧縮なし）にする
verdict-others-waited = 他のワーカーはその完了を待っていた
verdict-locks =
    ワーカーは時間の { $off } でプロセッサ上になく、要求がデバイスで処理中だった時間は { $window } のみ
remedy-locks = スレッドを減らすか、複数のデータセットを同時に使う（`instances`）
verdict-in-repeats = { $evidence }（反復 { $repeats } 回のうち { $count } 回、{ $others }）
verdict-limit-in = { $limit } は { $count } 回
verdict-limits = { $first }、{ $other }

## Differences in test conditions (crates/report/src/brief/text)
difference-fact = { $heading }：{ $fact }
difference-method = 測定方法のバージョン
plan-difference = { $field } は { $first } に対し { $other }
plan-differences-more = 他 { $count } 件
plan-part = { $name } { $value }
plan-tool = 測定に使用したツール
plan-window = 測定時間
plan-warm-up = ウォームアップ
plan-threads = スレッド数
plan-queue-depth = キュー深度
plan-instances = インスタンス数
plan-block-size = ブロックサイズ
plan-load = 負荷
plan-engine = エンジン
plan-workload = ワークロード
plan-meters = 計測器
plan-closed-loop = 閉ループ
plan-share-of-maximum = 最大値の { $share }
difference-drive-count = ドライブの台数
difference-drives = { $count } 台
server-by-number = ドライブ { $drive }、サーバー { $server }
setup-none = なし
setup-bytes = { $bytes } バイト
setup-bytes-per-block = ブロックあたり { $bytes } バイト
difference-preparation = 事前準備
difference-temperature = 開始時の温度、{ $step }
difference-recorded-load = 記録された負荷、{ $step }
difference-vector-search = ベクトル検索の結果、{ $step }
difference-own-runs = 別々の実行で測定
difference-one-after-other = 対象を 1 つずつ順に測定
difference-unequally = 時間とともに変化した条件の影響が対象間で等しくない
difference-nothing-done = なし
done = { $action }
done-as-asked = { $action } { $asked }
value-of = { $value }（{ $subjects }）
values-and = { $first }、{ $other }
on-this-host = このホストでは、{ $summary }

## Axes of steps (crates/report/src/terms)

## Figures (crates/report/src/chart)
figure-nothing-measured = 測定値なし
figure-seconds = 秒
figure-round = ラウンド
figure-share-no-longer = この時間以内に完了したオペレーションの割合
figure-convergence = 定常状態への収束
figure-convergence-in-rounds =
    { $round } のラウンドごとの { $metric }。最後のラウンドには近似直線と平均 ± { $band } を示す
figure-drive-of = { $subject }、ドライブ { $drive }
hover-missed-its-rate = { $point }、目標レート未達
hover-interval = { $value }（95%：{ $low }～{ $high }）
hover-not-limited = { $bar }：ドライブ以外が制約要因
caption-of-step = { $step }：{ $caption }
sign-marked = { $mark } ドライブ以外が制約要因
sign-outlined = 枠のみ：ドライブ以外が制約要因
sign-hollow = 白抜き：目標レートに 2% を超えて届かなかった点
sign-ringed = 丸囲み：最大負荷の点。クローズドループで、レイテンシーはサービス時間
figure-queue-depth = キュー深度
figure-service-time = { $figure } { $class } サービス時間
figure-response-time = { $figure } { $class } 応答時間
figure-service-time-by-percentile = パーセンタイル別の { $class } サービス時間{ $at }
figure-response-time-by-percentile = パーセンタイル別の { $class } 応答時間{ $at }
figure-against-throughput = スループットに対する { $what }（{ $axis } 別）
figure-overload = 。軸の範囲を超える過負荷の点は省略：{ $points }
figure-without-maximum = 。最大負荷の点はクローズドループのため、この軸には表示しない
figure-at = 、{ $axis } { $value }
figure-throughput = スループット
figure-ops-over-time = ops/s の時間推移{ $at }
figure-of-each-drive = ドライブごとの { $figure }{ $at }
figure-outliers = 測定区間中の外れ値{ $at }、原因別（{ $count } 件）
figure-slowest-outliers = 測定区間中の最も遅い外れ値{ $at }、原因別（{ $all } 件中 { $count } 件）
figure-drive = ドライブ { $number }
figure-of-instances = 全インスタンスを合わせた p99 と、各インスタンスの p99 の平均{ $at }
figure-pooled = 統合
figure-mean-of-instances = 各インスタンスの p99 の平均
figure-by-neighbour = ストリーム別のレイテンシー{ $at }
figure-of-neighbour = { $name } { $figure }
figures-lead = 各ステップの主指標
figures-megabytes = 各負荷の最大 MB/s（共通目盛り）
figures-part = { $caption }（{ $number } / { $count }）
verdict-near-ceiling = この負荷形状で Dyno がこのホストで生成できる上限の { $share }
remedy-near-ceiling = プロセッサに空きがあればスレッドを増やすか、要求を大きくするか、高速なホストを使う
verdict-ceiling = 負荷生成側の上限 { $ops } ops/s
figure-claimed = 。有意差：{ $differences }
claimed-against = 対 { $other } { $value }
figure-a-minute = 1 分あたりの { $class } 数

section-durable = 永続化のコスト
durable-how =
    同じ書き込みを異なる方法で永続化した結果を、書き込みスレッド数別に示す。FUA（force unit access）
    と fdatasync のフラッシュは、データが不揮発性メディア、または電源断に耐えるキャッシュに入った時点で完了す
    る。割合は、永続化しない同じ書き込みの ops/s に対するもの。割合が 100% に近いままのドライブは、不揮発性と
    報告するキャッシュで永続書き込みを受け取っている。報告が正しければ電源断保護があることになるが、それを確か
    められるのは電源断試験であり、この測定ではない。デバイスに届いた要求はカーネルが数えたもの。「なし」の場合、カーネルは
    フラッシュも FUA も送っておらず（queue/write_cache が "write through"）、永続化は求められていない。
durable-not = 永続化なし
durable-fdatasync = 書き込み + fdatasync
durable-commit = コミット
durable-share = 永続化なし比
durable-requests = デバイスに届いた要求（op あたり）
durable-not-tested = なし：未検証
durable-by-flush = フラッシュ { $flushes }
durable-by-fua = FUA 1、フラッシュ { $flushes }
durable-commits = データベースのエンジンがログに同期したコミット
durable-figure = { $step }：永続化の方法別の ops/s（永続化なしを含む、対数目盛り）

# Load from several hosts
section-hosts = 複数ホストからの同時負荷
hosts-how =
    これらのバンドルの測定点は、各ホストの時計で同じ絶対時刻に始まった。各ホストの時計は、実行の前後に同じ基準
    と比較した（NTP、RFC 5905 第 8 節。オフセットはホストの時計に加える値で、真の値は最短往復時間の半分以内に
    ある）。共通区間は、基準の時計で見て全ホストの測定区間が重なる部分の、最長の測定区間に対する割合で、時計の
    不確かさを差し引いている。99% 以上であれば、ops/s と MB/s は合計、レイテンシーは全ホストの統合ヒストグラ
    ムの値とする。それ以外の場合、合計は示さない。
hosts-unchecked = 合計なし：{ $host } の時計は、実行の前後の両方では比較されていない。
hosts-clock =
    合計なし：{ $host } の時計は基準から { $offset } ずれており、上限の { $limit } を超える。全ホストを同じ時
    刻サーバーに同期させ、再測定する。
hosts-missing = { $step }（反復 { $repeat }）の合計なし：{ $host } は最後まで測定していない。
hosts-apart = { $step }（反復 { $repeat }）の合計なし：ホスト間で重なる測定区間は最長の { $share } のみ。
column-host = ホスト
column-offset-before = 実行前の時計のずれ
column-offset-after = 実行後の時計のずれ
column-offset-limit = 上限
column-reference = 基準
column-common-window = 共通区間

# Database servers
section-database-servers = データベースサーバー別の結果
database-servers-how =
    トランザクション数は全反復の合計である。各サーバーの毎秒の値は反復の平均で、その和が合計と一致する。統
    合 p99 は、全サーバーのヒストグラムを統合した全トランザクションの p99 である。その隣に、複数の仮想マシンを
    使うレビューにならい、サーバー別 p99 の平均を示す。変動係数は、サーバー間の毎秒の値の標準偏差を平均で割っ
    た値である。プロセッサとメモリ上限はカーネルの報告値で、上限にはページキャッシュを含む。
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
shared-processors = { $processors }（共有）
verdict-load-set = 負荷のワーカー専用のプロセッサ { $count } 個の使用率は { $busy }
verdict-servers-set = データベースサーバー専用のプロセッサ { $count } 個の使用率は { $busy }
remedy-load-set = 負荷のプロセッサを増やす（ストリームの `cpus`）か、サーバーのプロセッサを減らす

## The fleet
section-fleet = フリート
fleet-unknown-model = モデル不明
fleet-drives = { $count } 台
fleet-figure =
    各ドライブの { $metric }（モデルとファームウェア別）。白抜き：同じモデルの他のドライブから外れている
fleet-figure-by-host =
    各ドライブの { $metric }（モデルとファームウェア別、ホストごとに 1 行）。白抜き：同じモデルの他のドライブ
    から外れている
fleet-ordered = { $model } の各ドライブの { $metric } と反復の範囲。{ $drive } が平均から最も離れている
fleet-in-order = ドライブ（小さい順）
fleet-how =
    1 台のドライブは、1 つの対象またはグループ内の 1 台である。モデルの水準はそのドライブの幾何平均、ドライブ
    の水準はその反復の幾何平均である。ばらつきは対数の標準偏差で、一元配置の変量効果モデルによる（ドライブ間は
    反復間を超える分、ホスト間はドライブ間を超える分）。ステップの全ドライブを合わせた有意水準 5% で他と異な
    るドライブを、外れているとする。モデルの区間はドライブを変量効果とし、ステップの全モデルについて同時に成り
    立つ。
fleet-better = ドライブ単位で { $better } は { $worse } より { $by } 優れている（{ $drives }）
fleet-open = ドライブ単位で { $first } と { $other } に有意差はない：{ $by }（{ $drives }）
fleet-better-here =
    ホストごとに { $better } は { $worse } より { $by } 優れている（{ $drives }、共通の { $hosts } ホスト、これら
    のドライブに限る）
fleet-open-here =
    ホストごとに { $first } と { $other } に有意差はない：{ $by }（{ $drives }、共通の { $hosts } ホスト）
fleet-confounded =
    { $first } と { $other } は異なるホスト（{ $hosts } と { $others }）で測定され、ホスト差と区別できないため、
    比較しない
fleet-apart = { $drive } は { $model } の他の { $others } 台から外れている：{ $value }、他は { $usual }
fleet-apart-health = { $sentence }（ヘルスログ：{ $log }）
fleet-more-apart = { $model } のさらに { $count } 台が外れている
fleet-barred = 次の点が異なるため、モデルは比較しない：{ $what }
fleet-lead = { $models } モデル、{ $drives }。{ $apart ->
        [0] 外れているドライブはない
       *[other] { $apart } 台が外れている
    }。
fleet-runs = バンドル { $count } 個（開始 { $first }～{ $last }）
fleet-not-shown = 全 { $drives } 台。サンプルとして十分な台数のモデルはない。
column-model = モデル
column-firmware = ファームウェア
column-hosts = ホスト
column-apart = 外れ
column-scatter = { $of } のばらつき

## Names that bundles store: classes of op, what power is of, kinds of meters, facts
op-all = 全体
op-read = 読み取り
op-write = 書き込み
op-write-fua = FUA 書き込み
op-write-fdatasync = 書き込み + fdatasync
op-flush = フラッシュ
op-trim = TRIM
op-write-zeroes = ゼロ書き込み
op-check = 整合性検査
op-seek = シーク
op-search = 検索
op-prefix = プレフィックス
op-update = 更新
op-insert = 挿入
op-scan = 範囲走査
op-read-modify-write = 読み取り・変更・書き込み
op-transaction = トランザクション
op-new-order = New-Order
op-payment = Payment
op-order-status = Order-Status
op-delivery = Delivery
op-deferred-delivery = 遅延 Delivery
op-stock-level = Stock-Level
op-operation = オペレーション
op-read-or-write = 読み取りまたは書き込み
op-event = イベント
op-delete = 削除
op-merge = マージ
op-sample = サンプル
op-evaluated-sample = 評価サンプル

power-class-drive = ドライブ
power-class-slot = スロット
power-class-system = システム
power-class-cpu = CPU
power-class-dram = DRAM

meter-kind-exec = 外部コマンド
meter-kind-csv = CSV
meter-kind-hwmon = hwmon
meter-kind-nvme = NVMe
meter-kind-rapl = RAPL
meter-kind-redfish = Redfish
meter-kind-imported = 取り込み値

tracked-iops = IOPS
tracked-throughput = スループット
tracked-mean = 平均
tracked-p99 = p99
tracked-waf = WAF

fact-host = ホスト
fact-memory = メモリ
fact-kernel = カーネル
fact-drive = ドライブ
fact-version = バージョン
fact-name = 名前
fact-vendor = メーカー
fact-server = サーバー
fact-board = マザーボード
fact-operating-system = オペレーティングシステム
fact-virtual-machine = 仮想マシン
fact-model = モデル
fact-sockets = ソケット数
fact-cores-a-socket = ソケットあたりのコア数
fact-logical-processors = 論理プロセッサ数
fact-governor = ガバナー
fact-frequency-driver = 周波数ドライバー
fact-highest-frequency = 最大周波数
fact-mitigations = 脆弱性の緩和策
fact-numa-nodes = NUMA ノード数
fact-microcode = マイクロコード
fact-energy-preference = 電力設定
fact-total = 合計
fact-modules = モジュール
fact-transparent-huge-pages = 透過的ヒュージページ
fact-swap = スワップ
fact-release = リリース
fact-build = ビルド
fact-command-line = コマンドライン
fact-driver-nvme = nvme ドライバー
fact-driver-nvme-core = nvme_core ドライバー
fact-serial = シリアル番号
fact-firmware = ファームウェア
fact-health-log = ヘルスログ
fact-capacity = 容量
fact-device = デバイス
fact-path = パス
fact-logical-block-size = 論理ブロックサイズ
fact-physical-block-size = 物理ブロックサイズ
fact-metadata = メタデータ
fact-filled = 使用率
fact-filesystem = ファイルシステム
fact-filesystem-on = ファイルシステムの場所
fact-mount-options = マウントオプション
fact-link-speed = リンク速度
fact-link-width = リンク幅
fact-highest-link-speed = 最大リンク速度
fact-highest-link-width = 最大リンク幅
fact-numa-node = NUMA ノード
fact-scheduler = スケジューラー
fact-queue = キュー
fact-volatile-write-cache = 揮発性書き込みキャッシュ
fact-volatile-write-cache-after = 揮発性書き込みキャッシュ（終了時）
fact-write-cache = 書き込みキャッシュ
fact-value-histogram = 1 ns～1 時間、相対誤差 0.1% 以内（HdrHistogram、3 桁）
fact-value-ceiling = { $value } ops/s（この負荷の形で、要求の所要時間をゼロとした上限）
fact-value-registered-small =
    登録済み、4 KiB ページ（空きのヒュージページなし、`sysctl vm.nr_hugepages`）
fact-value-steady =
    { $fourth ->
        [throughput] スループット
        [mean] 平均レイテンシー
        [p99] p99
        [waf] WAF
       *[other] IOPS
    } は { $value } ラウンドで定常状態に到達（変動幅 { $second }、傾き { $third }）
fact-value-not-steady =
    { $fourth ->
        [throughput] スループット
        [mean] 平均レイテンシー
        [p99] p99
        [waf] WAF
       *[other] IOPS
    } は { $value } ラウンド以内に定常状態に達していない（変動幅 { $second }、傾き { $third }）
fact-value-too-few-rounds =
    ラウンド数が不足し、{ $fourth ->
        [throughput] スループット
        [mean] 平均レイテンシー
        [p99] p99
        [waf] WAF
       *[other] IOPS
    } の定常状態を判定できない
fact-value-cache-hits = ブロック参照 { $second } 件のうち { $value }
fact-value-key-and-value = { $value } + { $second } バイト
fact-value-on = オン
fact-value-off = オフ
fact-value-shared = { $value } と { $second }：{ $third }
fact-block-cache-hits = ブロックキャッシュのヒット
fact-block-cache-in-use = ブロックキャッシュの使用量
fact-compaction-read = コンパクションの読み取り
fact-compaction-written = コンパクションの書き込み
fact-files-by-level = レベル別のファイル数
fact-flushed = フラッシュ
fact-found-in-a-memtable = memtable での検出
fact-load = 負荷
fact-sync = 同期
fact-table-files = テーブルファイル
fact-write-ahead-log = ログ先行書き込み（WAL）
fact-writes-stalled = 書き込みの停止時間
fact-key-and-value = キーと値
fact-fell-behind = 遅延の発生
fact-version--in-full = バージョン（詳細）
fact-settings = 設定
fact-options = オプション
fact-block-cache = ブロックキャッシュ
fact-clock = クロック
fact-pacing-floor = ペーシングの下限
fact-file = ファイル
fact-size = サイズ
fact-data = データ
fact-ring = リング
fact-buffers = バッファー
fact-polling = ポーリング
fact-keys = キー数
fact-accelerators = アクセラレータ
fact-vector-search = ベクトル検索
fact-vectors = ベクトル数
fact-dimensions = 次元数
fact-queries = クエリ数
fact-degree = 次数
fact-search-list-of-the-build = 構築時の検索リスト
fact-compressed-vector = 圧縮後のベクトル
fact-read-of-a-node = ノードの読み取りサイズ
fact-index = インデックス
fact-meters = 計測器
fact-imported = 取り込み
fact-physical-devices = 物理デバイス
fact-shared-by-subjects = 対象間で共有
fact-processors-of-workers = ワーカーのプロセッサ
fact-verification = データ検証
fact-servers = サーバー
fact-search = 探索
fact-latency-histogram = レイテンシーヒストグラム
fact-idle-driver = アイドルドライバー
fact-clock-source = クロックソース
fact-direct-i-o = ダイレクト I/O
fact-overslept = 起床の遅れ
fact-trace-not-read-in-time = トレースの読み取り遅れ
fact-recorded-load = 記録された負荷
fact-trace = トレース
fact-remapped-trace = 再配置したトレース
fact-generator-s-ceiling = 負荷生成側の上限
fact-preparation = 事前準備
fact-dataset = データセット
fact-start-with-other-hosts = 他のホストとの同時開始
fact-from = 取り込み元
fact-missing = 元データにない項目
fact-length-of-the-window = 測定区間の長さ

## What a run stores of preparation
action-namespaces = 名前空間
action-purge = 消去
action-write-cache = 書き込みキャッシュ
action-filesystem = ファイルシステム
action-fill = { $value } のデータ書き込み
action-condition = 前処理 { $value }
action-steady-state = 定常状態
outcome-filled = 作成して全体にデータを書き込んだ
outcome-opened = 既存のまま開いた
outcome-load = { $third } で { $second } を { $value } オペレーション実行した
outcome-slices = 対象外：ディレクトリでは { $value } 個の等しい領域を使う
outcome-not-purged = 対象外：ディレクトリは消去できない
outcome-not-switched = 対象外：ディレクトリのドライブは切り替えない
outcome-has-filesystem = 対象外：ディレクトリには既にファイルシステムがある
outcome-filesystem = { $value } を作成（{ $second }）、{ $third } でマウント
outcome-write-cache =
    { $value ->
        [on] 有効
        [off] 無効
        [none] なし
       *[other] 不明
    }（測定前は{ $second ->
        [on] 有効
        [off] 無効
        [none] なし
       *[other] 不明
    }、測定終了時に元に戻す）
outcome-namespaces = { $second } の名前空間 { $value } 個、うち { $third } 個を接続
outcome-created = 作成：{ $value }
outcome-deleted = 削除（測定終了時にデータなしで再作成）：{ $value }
outcome-discarded = 全ブロックを破棄（BLKDISCARD）
outcome-formatted = NVMe Format、ユーザーデータを消去（--ses=1）
outcome-key-erased = NVMe Format、暗号鍵を消去（--ses=2）
outcome-sanitized = NVMe Sanitize（--sanact={ $value }）

## Built-in protocols: titles, sources, titles of steps
protocol-demo = デモ：読み取りと一定レートの書き込み
source-of-demo = Dyno 独自
step-of-demo-readrandom = RocksDB ランダム読み取り
step-of-demo-random-read-4k = 4 KiB ランダム読み取り
step-of-demo-paced-writes = 一定レートの 4 KiB ランダム書き込み

protocol-quick = 簡易測定：RocksDB と 4K ランダム I/O
source-of-quick = rocksdb-threads と block-basics に基づく Dyno 独自の手順
step-of-quick-readrandom = RocksDB ランダム読み取り
step-of-quick-readwhilewriting = RocksDB ランダム読み取り（1 スレッドが並行して書き込み）
step-of-quick-readrandomwriterandom = RocksDB ランダム読み取り・書き込み（90 対 10）
step-of-quick-random-read-4k = 4 KiB ランダム読み取り
step-of-quick-random-70-30-4k = 4 KiB ランダム（読み取り 70%）

protocol-block-basics = ブロック I/O の基本測定：キュー深度別の 4K ランダム、128K シーケンシャル、70/30 混合
source-of-block-basics = Dyno 独自（ランダムアクセスの前の 4K ランダム書き込みは StorageReview に準拠）
step-of-block-basics-random-read-4k = 4 KiB ランダム読み取り
step-of-block-basics-random-write-4k = 4 KiB ランダム書き込み
step-of-block-basics-random-70-30-4k = 4 KiB ランダム（読み取り 70%）
step-of-block-basics-sequential-read-128k = 128 KiB シーケンシャル読み取り
step-of-block-basics-sequential-write-128k = 128 KiB シーケンシャル書き込み

protocol-sync-writes = 永続書き込み：書き込みスレッド数別の FUA とフラッシュ
source-of-sync-writes = レビュー記事の 4 KiB 書き込み + fsync に基づく Dyno 独自の手順
step-of-sync-writes-plain-4k = 4 KiB ランダム書き込み（永続化なし）
step-of-sync-writes-fua-4k = 4 KiB ランダム書き込み（FUA で永続化）
step-of-sync-writes-fdatasync-4k = 4 KiB ランダム書き込み（1 回ごとに fdatasync）
step-of-sync-writes-plain-16k = 16 KiB ランダム書き込み（永続化なし）
step-of-sync-writes-fua-16k = 16 KiB ランダム書き込み（FUA で永続化）
step-of-sync-writes-fdatasync-16k = 16 KiB ランダム書き込み（1 回ごとに fdatasync）
step-of-sync-writes-rocksdb-sync = RocksDB 上書き（1 回ごとに同期）

protocol-compression = ドライブによる圧縮の有無：圧縮できるデータとできないデータの同一負荷
source-of-compression = データパターンを調べる場合以外は乱数データを使うという SNIA SSS PTS の規定に基づく Dyno 独自の手順
step-of-compression-random-write = 4 KiB ランダム書き込み
step-of-compression-sequential-write = 128 KiB シーケンシャル書き込み
step-of-compression-mixed = 4 KiB ランダム（読み取り 70%）

protocol-powercut = 電源断：FUA とフラッシュによる永続書き込み
source-of-powercut = Zheng ら（FAST 2013）に基づく Dyno 独自の手順
step-of-powercut-writes = FUA による 4 KiB ランダム書き込みと、8 回ごとにフラッシュする 4 KiB ランダム書き込み

protocol-mysql-oltp = MySQL OLTP：ドライブあたりサーバー 1 台と 2 台
source-of-mysql-oltp = StorageReview の Sysbench MySQL OLTP（SQL 文は sysbench 1.0.20 と同じ）
step-of-mysql-oltp-one-server = oltp_read_write（ドライブあたりサーバー 1 台）
step-of-mysql-oltp-two-servers = oltp_read_write（ドライブあたりサーバー 2 台）

protocol-tpcc = TPC-C（MariaDB または MySQL）
source-of-tpcc = TPC-C 5.11（規模と時間は StorageReview、サーバー設定は Dyno 独自）
step-of-tpcc-check-after-load = データ投入後の整合性
step-of-tpcc-tpcc = TPC-C（キー入力時間・思考時間{ $value ->
        [with] あり
       *[other] なし
    }）
step-of-tpcc-check-after-run = 測定後の整合性

protocol-tpcc-postgres = TPC-C（PostgreSQL）
source-of-tpcc-postgres = TPC-C 5.11（規模と時間は StorageReview、サーバー設定は Dyno 独自）
step-of-tpcc-postgres-check-after-load = データ投入後の整合性
step-of-tpcc-postgres-tpcc = TPC-C（キー入力時間・思考時間{ $value ->
        [with] あり
       *[other] なし
    }）
step-of-tpcc-postgres-check-after-run = 測定後の整合性

protocol-tpcc-sqlserver = TPC-C（SQL Server）
source-of-tpcc-sqlserver = TPC-C 5.11（規模と時間は StorageReview、サーバー設定は所有者による）
step-of-tpcc-sqlserver-check-after-load = データ投入後の整合性
step-of-tpcc-sqlserver-tpcc = TPC-C（キー入力時間・思考時間{ $value ->
        [with] あり
       *[other] なし
    }）
step-of-tpcc-sqlserver-check-after-run = 測定後の整合性

protocol-rocksdb-threads = RocksDB：スレッド数別のスループットとレイテンシー
source-of-rocksdb-threads = Micron 7450、7500、7600 の RocksDB 技術資料、RocksDB 8.1.1 の db_bench（記載のない条件は Dyno が補完）
step-of-rocksdb-threads-readrandom = ランダム読み取り
step-of-rocksdb-threads-readwhilewriting = ランダム読み取り（1 スレッドが並行して書き込み）
step-of-rocksdb-threads-readrandomwriterandom = ランダム読み取り・書き込み（90 対 10）

protocol-ycsb = RocksDB での YCSB コアワークロード A～F
source-of-ycsb = YCSB の workloads/（brianfrankcooper/YCSB）、Cooper et al., SoCC 2010（記載のない条件は Dyno が補完）
step-of-ycsb-a = ワークロード A：更新が多い
step-of-ycsb-b = ワークロード B：主に読み取り
step-of-ycsb-c = ワークロード C：読み取りのみ
step-of-ycsb-d = ワークロード D：最新レコードの読み取り
step-of-ycsb-e = ワークロード E：短い範囲走査
step-of-ycsb-f = ワークロード F：読み取り・変更・書き込み
protocol-ycsb-mysql = MariaDB・MySQL での YCSB コアワークロード A～F
source-of-ycsb-mysql = YCSB の workloads/ と jdbc/（brianfrankcooper/YCSB）、Cooper et al., SoCC 2010（サーバー設定は Dyno 独自）
step-of-ycsb-mysql-a = ワークロード A：更新が多い
step-of-ycsb-mysql-b = ワークロード B：主に読み取り
step-of-ycsb-mysql-c = ワークロード C：読み取りのみ
step-of-ycsb-mysql-d = ワークロード D：最新レコードの読み取り
step-of-ycsb-mysql-e = ワークロード E：短い範囲走査
step-of-ycsb-mysql-f = ワークロード F：読み取り・変更・書き込み
protocol-ycsb-postgres = PostgreSQL での YCSB コアワークロード A～F
source-of-ycsb-postgres = YCSB の workloads/ と jdbc/（brianfrankcooper/YCSB）、Cooper et al., SoCC 2010（サーバー設定は Dyno 独自）
step-of-ycsb-postgres-a = ワークロード A：更新が多い
step-of-ycsb-postgres-b = ワークロード B：主に読み取り
step-of-ycsb-postgres-c = ワークロード C：読み取りのみ
step-of-ycsb-postgres-d = ワークロード D：最新レコードの読み取り
step-of-ycsb-postgres-e = ワークロード E：短い範囲走査
step-of-ycsb-postgres-f = ワークロード F：読み取り・変更・書き込み
protocol-vdbench-profiles = StorageReview に準じたブロックプロファイル（VDI は Dyno 独自）：負荷に対するレイテンシー
source-of-vdbench-profiles = StorageReview の Intel P5510 対 Samsung PM9A3（SQL と Oracle の混合比は VdbenchAutomation、VDI の 6 種と 64K の 2 種は Dyno 独自）
step-of-vdbench-profiles-random-read-4k = 4K ランダム読み取り
step-of-vdbench-profiles-random-write-4k = 4K ランダム書き込み
step-of-vdbench-profiles-mixed-4k = 4K ランダム（読み取り 70%）
step-of-vdbench-profiles-mixed-8k = 8K ランダム（読み取り 70%）
step-of-vdbench-profiles-mixed-16k = 16K ランダム（読み取り 70%）
step-of-vdbench-profiles-sql = SQL
step-of-vdbench-profiles-sql-90-10 = SQL 90-10
step-of-vdbench-profiles-sql-80-20 = SQL 80-20
step-of-vdbench-profiles-oracle = Oracle
step-of-vdbench-profiles-oracle-90-10 = Oracle 90-10
step-of-vdbench-profiles-oracle-80-20 = Oracle 80-20
step-of-vdbench-profiles-vdi-fc-boot = VDI フルクローン、ブート（Dyno 独自）
step-of-vdbench-profiles-vdi-fc-initial-login = VDI フルクローン、初回ログイン（Dyno 独自）
step-of-vdbench-profiles-vdi-fc-monday-login = VDI フルクローン、月曜朝のログイン（Dyno 独自）
step-of-vdbench-profiles-vdi-lc-boot = VDI リンククローン、ブート（Dyno 独自）
step-of-vdbench-profiles-vdi-lc-initial-login = VDI リンククローン、初回ログイン（Dyno 独自）
step-of-vdbench-profiles-vdi-lc-monday-login = VDI リンククローン、月曜朝のログイン（Dyno 独自）
step-of-vdbench-profiles-sequential-read-64k = 64K シーケンシャル読み取り
step-of-vdbench-profiles-sequential-write-64k = 64K シーケンシャル書き込み

protocol-write-pressure = 書き込み負荷：書き込みレートに対する読み取りレイテンシー
source-of-write-pressure = StorageReview の Intel P5510 対 Samsung PM9A3（サイズ、キュー深度、時間は Dyno 独自）
step-of-write-pressure-pressure = 4K ランダム書き込みと並行する 4K ランダム読み取り

protocol-write-cost = 書き込みのコスト：落ち着くまでの書き込み増幅率
source-of-write-cost = LMCache のプルリクエスト 4016（オブジェクトのサイズ、使用率、書き込み量。4 KiB と RocksDB のステップは Dyno 独自）
step-of-write-cost-objects = 1～32 MiB のオブジェクト
step-of-write-cost-uniform = 4 KiB の上書き、一様分布
step-of-write-cost-zipfian = 4 KiB の上書き、Zipf 分布
step-of-write-cost-leveled = RocksDB の上書き、レベル型コンパクション
step-of-write-cost-universal = RocksDB の上書き、ユニバーサル型コンパクション
protocol-placement = データ配置：プレースメントハンドルの有無によるフラッシュキャッシュの書き込み
source-of-placement = FDP 対応ドライブ上の CacheLib、arXiv 2503.11665（小さいオブジェクトと大きいオブジェクトに別々のハンドル）。サイズとレートは Dyno 独自
step-of-placement-cache = 大きいオブジェクトのログと並行する小さいオブジェクト

protocol-noisy-neighbour = 6 つの名前空間でのノイジーネイバー
source-of-noisy-neighbour = StorageReview の Intel P5510 対 Samsung PM9A3（サイズ、レート、時間は Dyno 独自）
step-of-noisy-neighbour-alone = 読み取りのみ（3 ストリーム）
step-of-noisy-neighbour-neighbours = 読み取り 3・書き込み 3 ストリーム（各 { $value }）
step-of-noisy-neighbour-loud = 読み取り 3・書き込み 3 ストリーム（レート上限なし）

protocol-act = Aerospike ACT：ドライブが維持できる負荷の倍率
source-of-act = Aerospike ACT 6.4（README.md、cfg_storage.c。サイズ、ワーカー数、キュー深度は Dyno 独自）
step-of-act-certify = どの 1 時間でも、小サイズの読み取りのうち 1 ms 超が 5%、8 ms 超が 1%、64 ms 超が 0.1% 未満
step-of-act-stress = 2 倍の負荷を最後まで維持
protocol-kv-cache = 言語モデルのキー・バリュー・キャッシュ
source-of-kv-cache = Qin ほか（Mooncake、FAST 2025）、MLPerf Storage v3.0 の規則 6.3 と 6.4（記載のない条件は Dyno が補完）
step-of-kv-cache-objects = 記録時刻どおりのブロックアクセス
step-of-kv-cache-limit = プレフィックスの取得時間の上限内で最速の再生
step-of-kv-cache-files-8b = fdatasync 付きファイル、16 ワーカー、Llama 3.1 8B
step-of-kv-cache-memory-8b = 同じファイル（メモリに { $value } ブロック）
step-of-kv-cache-files-70b = fdatasync 付きファイル、4 ワーカー、Llama 3.1 70B
protocol-vector-search = DiskANN によるベクトル検索、再現率を揃えた比較
source-of-vector-search = Subramanya et al., DiskANN, NeurIPS 2019；microsoft/DiskANN（記載のない条件は Dyno が補完）
step-of-vector-search-recall = 検索リスト別の再現率と 1 秒あたりのクエリ数
step-of-vector-search-threads = 検索リスト 100 でのスレッド数
protocol-checkpoint = Llama 3 8B のチェックポイント（8 ワーカー）
source-of-checkpoint = MLPerf Storage の llama3_8b.yaml（記載のない条件は Dyno が補完）
step-of-checkpoint-write = チェックポイントの書き込み（シャードごとに fdatasync）
step-of-checkpoint-read = チェックポイントの読み取り
protocol-training-read = 学習サンプルの読み取り：unet3d、resnet50、retinanet、flux
source-of-training-read = MLPerf Storage v2.0 の unet3d_h100.yaml と resnet50_h100.yaml、v3.0 の unet3d_b200.yaml、retinanet_b200.yaml、flux_b200.yaml（記載のない条件は Dyno が補完）
step-of-training-read-unet3d = unet3d（H100）：大きなサンプル
step-of-training-read-resnet50 = resnet50（H100）：115 kB のサンプル
step-of-training-read-unet3d-b200 = unet3d（B200）：大きなサンプル
step-of-training-read-retinanet = retinanet（B200）：323 kB のサンプル
step-of-training-read-flux = flux（B200）：2.2 MB のサンプル
protocol-trace-replay = 記録された負荷の再生
source-of-trace-replay = Dyno 独自（トレースは Dyno が生成、docs/trace.md）
step-of-trace-replay-replay = 記録された負荷を記録時刻どおりに再生
step-of-trace-replay-asap = 記録された負荷をできるだけ速く再生

protocol-snia-iops = SNIA PTS IOPS：7 種類の混合比、8 種類のサイズ
source-of-snia-iops = SNIA SSS PTS 2.0.2（py-sss-pts の引用による）
step-of-snia-iops-mix-100-0 = ランダム（読み取り 100%）
step-of-snia-iops-mix-95-5 = ランダム（読み取り 95%）
step-of-snia-iops-mix-65-35 = ランダム（読み取り 65%）
step-of-snia-iops-mix-50-50 = ランダム（読み取り 50%）
step-of-snia-iops-mix-35-65 = ランダム（読み取り 35%）
step-of-snia-iops-mix-5-95 = ランダム（読み取り 5%）
step-of-snia-iops-mix-0-100 = ランダム（読み取り 0%）

protocol-snia-throughput = SNIA PTS スループット：シーケンシャル、1024K と 128K
source-of-snia-throughput = SNIA SSS PTS 2.0（SSS-PTS-TEST に準拠）
step-of-snia-throughput-sequential-read = シーケンシャル読み取り
step-of-snia-throughput-sequential-write = シーケンシャル書き込み

protocol-snia-latency = SNIA PTS レイテンシー：同時 1 要求
source-of-snia-latency = SNIA SSS PTS 2.0（SSS-PTS-TEST に準拠）
step-of-snia-latency-mix-100-0 = ランダム（読み取り 100%、同時 1 要求）
step-of-snia-latency-mix-65-35 = ランダム（読み取り 65%、同時 1 要求）
step-of-snia-latency-mix-0-100 = ランダム（読み取り 0%、同時 1 要求）

protocol-snia-wsat = SNIA PTS 書き込み飽和：6 時間の 4K ランダム書き込み
source-of-snia-wsat = SNIA SSS PTS 2.0（SSS-PTS-TEST に準拠）
step-of-snia-wsat-saturation = 新品状態からの 4K ランダム書き込み
step-of-snia-wsat-histogram = 飽和状態の 4K ランダム書き込み

protocol-selftest = セルフテスト：レイテンシーが既知のエンジン
source-of-selftest = Dyno 独自
step-of-selftest-known = 50 µs の読み取り

protocol-ceiling = 負荷形状ごとの負荷生成側の上限
source-of-ceiling = Dyno 独自
step-of-ceiling-one = クローズドループ、1 スレッド
step-of-ceiling-many = クローズドループ、多数の同時要求
step-of-ceiling-open = オープンループ、1 スレッド

## 取り込んだ値の出典に記載のない条件と、測定そのものが示す条件
not-given-loop = クローズドループかオープンループかの別
not-given-window = 測定区間の長さ
not-given-warmup = ウォームアップ
not-given-timing = レイテンシーがサービス時間か応答時間かの別
not-given-order = 測定の順序
not-given-repeats = 反復の回数とばらつき
not-given-preparation = 事前準備
not-given-host = ホスト
not-given-drives = ドライブのファームウェア
not-given = 出典に記載なし：{ $what }
date-not-given = 日付は出典に記載なし
imported-run = { $when }、dyno { $version } に取り込み
imported-header = { $file } · { $when } · dyno { $version } に取り込み
conditions-not-given = 次の条件は出典に記載がなく、対象間に違いがあるかは不明である：{ $what }。
percentiles-of = パーセンタイルは { $class } のレイテンシー
figure-latency = { $class } の { $figure } レイテンシー
figure-latency-by-percentile = パーセンタイル別の { $class } レイテンシー{ $at }
imported-figures = 取り込んだ値
method-imported =
    値は出典のもので、定義も出典による。出典の値から計算した値（1 ワットあたり
    の ops/s：ops/s ÷ W、J/op：W ÷ ops/s）の有効桁数は、元の値のうち最も少ないものに合わせる。百分率は切り捨
    て、切り上げはしない。
energy-how-imported =
    消費電力は、3 列目に示す対象について、出典が測定点ごとに示す 1 つの値である。計測器とその計測値、区間全体
    のエネルギーは出典に記載がない。
data-how-imported = 値は出典のとおり。「–」は出典に記載なし。
caveat-few-figures = 出典の値は { $count } 個のみで、ばらつきは不明
caveat-every-point-few-figures = 出典の値はどの測定点も { $count } 個のみで、ばらつきは不明
difference-device = デバイスの共有
difference-one-device = プランでは、対象間でのデバイスの共有が許可されている
difference-steady = 測定前の定常状態
difference-was-steady = 定常状態に到達
difference-was-not-steady = 定常状態に未達
difference-excursion = 定常状態に未達、変動幅 { $excursion }
difference-not-until-steady = 定常状態までの事前準備なし
difference-repeats = 反復の欠落
difference-drift = ドリフトした測定点
difference-bottleneck = ドライブ以外が制約要因の測定点
difference-share = { $all } 件中 { $count } 件

# Imported figures on the first page
published-lead = 公表値による比較（反復なし）：{ $sentence }
published-lead-of-step = 公表値による { $step } の比較（反復なし）：{ $sentence }
published-completes = { $better }は{ $own }{ $at }で、{ $worse }（{ $other }）より{ $by }高い
published-more = { $better }は{ $own }{ $at }で、{ $worse }（{ $other }）より{ $by }高い
published-lower = { $better }の{ $what }は{ $own }{ $at }で、{ $worse }（{ $other }）より{ $by }低い
published-rival-more = { $worse }（{ $other }）より{ $by }高い
published-rival-lower = { $worse }（{ $other }）より{ $by }低い
published-no-difference = 公表値による比較（反復なし）：出典の値はすべての対象で等しい。
published-not-compared = 比較なし：同じ負荷の値を持つ対象の組がない。
published-more-measures = このほか { $count } 項目を「概要」に示す。
between-clauses = 、
named-value = { $name }：{ $value }
figure-published = 。公表値による差：{ $differences }
column-value = 値
column-in-unit = { $name }［{ $unit }］
unit-of-panel = ［{ $unit }］
column-of-class = { $class }の { $figure }

# Losses, and what could not be compared
more-losses = { $subject } に対して競合が優位な有意差はほかに { $count } 件あり、「有意差の一覧」に示す。
not-compared-here = { $subject } はここでは比較できない。
no-rank-nothing-measured = 測定された点がないため、順位は付けられない。
no-rank-never-together = 同じ測定点で測定された対象の組がないため、順位は付けられない：同じスイープを指定する。
cause-and-remedy = { $cause }。対処：{ $remedy }
cause-failed = { $subjects } の測定は失敗した（{ $why }）
remedy-failed = 原因を取り除いて再測定する
cause-not-steady = { $subjects } は定常状態に達していない（{ $why }）
remedy-not-steady = 事前準備を長くする
cause-no-flush = { $subjects } の揮発性書き込みキャッシュは有効だが、カーネルはフラッシュも FUA も送らない：永続化されるはずの書き込みが永続化されていない
remedy-no-flush = /sys/block/DEVICE/queue/write_cache に write back を書き込むか、`prepare.write_cache` を設定する
cause-drifted = { $subjects } の ops/s は測定区間内に最大 { $change } 変化した
remedy-drifted = 事前準備またはウォームアップを長くする
cause-missed-rate = { $subjects } は最悪の測定点で目標レートの { $share } しか達成していない
remedy-missed-rate = 目標レートを下げるか、スレッド数またはキュー深度を増やす
cause-stream-missed-rate =
    { $subjects } の読み取りと並行するストリーム { $stream } は、最悪の測定点で目標レートの { $share } しか達成してい
    ない
cause-late = { $subjects } への要求は、最悪の測定点で { $share } が遅れて発行された
remedy-late-requests = ワーカーを増やすか、他の処理が使わないプロセッサを割り当てる
cause-few-repeats-all = すべての測定点で測定回数が 3 回未満である
cause-few-repeats = { $points } 測定点のうち { $count } 点で測定回数が 3 回未満である
remedy-few-repeats = 比較する前に測定を反復する（`--repeats 5`）
unsteady-excursion = 変動幅 { $excursion }、許容は { $allowed } まで
unsteady-slope = 傾き { $slope }、許容は { $allowed } まで
unsteady-too-few = 測定は { $rounds } ラウンドのみ

## What published comparisons say of a step
course =
    { $subject } は { $from } ops/s{ $first_at }、平均 { $mean }、p99 { $p99 } から始まり、{ $to } ops/s{ $at }、平均
    { $mean_there }、p99 { $p99_there } でピークに達する
course-of-mean =
    { $subject } は { $from } ops/s{ $first_at }、平均 { $mean } から始まり、{ $to } ops/s{ $at }、平均 { $there } でピークに達する
course-of-p99 =
    { $subject } は { $from } ops/s{ $first_at }、p99 { $p99 } から始まり、{ $to } ops/s{ $at }、p99 { $there } でピークに達する
beyond-threads =
    { $subjects } の ops/s は { $most } スレッドでもまだ伸びており、それを超えるスレッド数は測定していない
beyond-depth =
    { $subjects } の ops/s はキュー深度 { $most } でもまだ伸びており、それを超えるキュー深度は測定していない
beyond-instances =
    { $subjects } の ops/s は { $most } インスタンスでもまだ伸びており、それを超えるインスタンス数は測定してい
    ない
saturated-threads =
    { $subjects } では { $from } スレッド以上でプロセッサが飽和しており、より速いドライブでも差は現れない
saturated-from =
    { $subjects } では { $axis } { $from } 以上でプロセッサが飽和しており、より速いドライブでも差は現れない
saturated-at = { $subjects } ではプロセッサが飽和しており{ $at }、より速いドライブでも差は現れない
lower-by = { $better } の { $what } は { $worse } より { $difference } 低い{ $at }（{ $own } 対 { $other }）
difference-at-size = { $size } で { $difference }
grows-with-size =
    { $what } における { $better } の { $worse } に対する優位は、ブロックサイズが大きいほど広が
    る：{ $differences }
shrinks-with-size =
    { $what } における { $better } の { $worse } に対する優位は、ブロックサイズが大きいほど縮ま
    る：{ $differences }
moves-from-to = { $figure } は { $low } から { $high } へ推移
drive-course = { $subject } のドライブ { $drive }：{ $from } から { $to } までで、{ $moves }
drive-level = { $subject } のドライブ { $drive }：{ $figures }
stream-levels = { $subject } の { $stream }{ $at }：{ $figures }
total-writes =
    { $subject }：{ $writes } DWPD × { $count ->
       *[other] { $years } 年
    } × 365 日 × { $capacity } = 総書き込み量 { $total }

## 取り込んだ値の出所と、出典に記載のない項目
note-in = { $file } の注記
imported-from = { $tool } から取り込んだ値
fact-measured-by = 測定者
fact-others--not-by-dyno = Dyno ではなく第三者
fact-what-their-source-does-not-give-is-unknown = 出典に記載のない条件は不明
fact-latencies-but-for-the-figures-given = 記載された値以外のレイテンシー
fact-intervals = 区間ごとの値
fact-when-the-points-were-measured = 各測定点の測定日時
fact-readings-of-meters = 計測器の計測値
fact-latencies-finer-than-db-bench-s-buckets--which-are-half-as-wide-as-they-are-long =
    db_bench のヒストグラムの階級より細かいレイテンシー（階級の幅は値の約半分）
fact-the-writer-of-readwhilewriting--which-db-bench-leaves-out =
    readwhilewriting の書き込みスレッド（db_bench は出力しない）
fact-all-percentiles-but-the-one-that---percentile-named--which-is-right-to-1-8-- =
    --percentile で指定したもの以外のパーセンタイル（指定したものの誤差は 1.8% 以内）
fact-when-the-run-began = 測定の開始日時
fact-all-percentiles--vdbench-gives-means-and-maxima = すべてのパーセンタイル：vdbench が示すのは平均と最大
fact-the-length-of-the-window = 測定区間の長さ
fact-waiting-before-an-op-was-begun--all-latencies-are-service-times =
    オペレーション開始前の待ち時間：レイテンシーはすべてサービス時間
fact-the-mix-of-transactions-beside-tpm = TPM 以外のトランザクションの構成
fact-when-an-op-was-due--all-latencies-are-service-times = オペレーションの発行予定時刻：レイテンシーはすべてサービス時間
fact-the-number-of-threads--which-db-bench-does-not-print = スレッド数（db_bench は出力しない）
fact-latencies-by-class-in-fileio--those-that-sysbench-prints-are-of-all-its-events =
    fileio の種別ごとのレイテンシー：sysbench が示すのは全イベントの値
fact-the-name-of-the-test--where-it-is-not-fileio-or-cpu = テストの名前（fileio と cpu 以外）
fact-latencies--unless-the-run-has-a-time-profile = レイテンシー（タイムプロファイルがある場合を除く）
fact-latencies-by-kind-of-transaction = トランザクションの種類ごとのレイテンシー
fact-whether-latencies-are-service-or-response-times = レイテンシーがサービス時間か応答時間か
fact-latencies--unless-diskspd-was-run-with--l = レイテンシー（DiskSpd を -L 付きで実行した場合を除く）
fact-percentiles = パーセンタイル
fact-the-options-of-the-load = 負荷のオプション
fact-threads-and-depth = スレッド数とキュー深度
fact-what-other-logs-of-the-same-run-have = 同じ測定の他のログの内容
fact-threads-and-warehouses--which-go-tpc-does-not-print = スレッド数とウェアハウス数（go-tpc は出力しない）
fact-percentiles-over-the-whole-run--iob-prints-those-of-each-interval = 測定全体のパーセンタイル：iob が示すのは区間ごとの値
fact-readings-of-meters--but-for-the-drive-s-own-counters = 計測器の計測値（ドライブ自身のカウンターを除く）
fact-latencies = レイテンシー
fact-the-model-and-its-settings--which-are-in-other-files-of-the-run = モデルとその設定（測定の他のファイルにある）
fact-percentiles--which-pgbench-does-not-print = パーセンタイル（pgbench は出力しない）
fact-percentiles-but-those-that-it-printed = 出力された値以外のパーセンタイル
fact-settings-of-the-workload-s-file--unless-go-ycsb-printed-them = ワークロードファイルの設定（go-ycsb が出力したものを除く）
fact-fio-version = fio のバージョン
fact-sysbench-version = sysbench のバージョン

## 書き込みのコスト
layer-application = アプリケーション
layer-wal = ログ先行書き込み（WAL）
layer-flush = フラッシュ
layer-compaction = コンパクション
layer-pages = ページ
layer-doublewrite = ダブルライトバッファー
layer-filesystem = ファイルシステムほか
layer-host = ホスト
layer-media = メディア
column-host-by-kernel = ホスト（カーネル）
column-host-by-drive = ホスト（ドライブ）
column-counted-seconds = 計数時間、s
figure-waterfall = 層ごとの書き込み増幅率{ $at }
figure-waterfall-unit-host = ホストが書き込んだ 1 バイトあたりのバイト数
figure-waterfall-unit = アプリケーションの 1 バイトあたりのバイト数
figure-waf-over-time = 書き込み増幅率の推移{ $at }
column-engine-wrote = エンジン
column-of-capacity = 容量に対する書き込み量
column-counted-by = カウンター
column-written-mb = 書き込み MB/s
column-load-dwpd = この負荷での DWPD
column-rated-dwpd = 定格 DWPD
column-rated-writes = 定格書き込み量
column-years = この負荷での年数
column-joules-per-tb = J/TB
column-price-per-iops = 1,000 ops/s あたりの価格
column-price-per-tb-written = 定格書き込み量 1 TB あたりの価格
counter-fdp = FDP 統計
counter-ocp = OCP ログとヘルスログ
counter-instrument = 計測器
counter-vendor = ベンダーのログ
counter-group = 耐久性グループのログ
times = { $factor } 倍
not-measured = 未測定
not-measured-because = { $place }：書き込み増幅率は未測定。{ $why }
waf-not-read = 負荷の前後でドライブのカウンターを読み取れなかった
waf-no-media-count = メディアへの書き込み量を数えるログのうち、Dyno が解釈できるものがドライブにない
waf-not-on-every-drive = メディアへの書き込み量を数えるログが、対象の一部のドライブにしかない
waf-fell = 負荷の間にカウンターの値が減った
waf-stood-still = 一方のカウンターが進む間、もう一方が止まっていた
waf-no-capacity = ドライブの容量が不明。[drive.NAME] に記載する
waf-too-little = 負荷の書き込み量は容量の { $fills } 倍で、最低 { $least } 倍が必要
waf-too-coarse = カウンターの単位、更新間隔、読み取り間隔による不確かさが ±{ $open }
write-cost-how =
    カウンターは測定区間の開始からクールダウンの終わりまで、ドライブの両方のカウンターを同じ区間で比較する。計数時間は
    その区間のうち負荷がかかっていた秒数である。書き込み増幅率は、負荷がウォームアップを含めて容量の { $fills } 倍以上を書き込み、
    カウンターの単位、更新間隔、読み取り間隔による不確かさが ±{ $coarsest } 以下の場合に示す。区間はこれらを含む。* の付いた
    値はデータシートまたは価格表によるもので、測定値ではない。
formulas = 計算式
formula-waf = WAF = メディアに書き込んだバイト数の増加 ÷ ホストから受け取ったバイト数の増加
formula-waterfall =
    ファイルシステムほか = カーネルがデバイスに渡したバイト数 − エンジンがファイルに書き込んだバイト数（エンジンが数えない場合はアプリケーションのバイト数）。負の値は、データがメモリに残ったか、ログがカーネルの書き戻し前に削除されたことを示す。
formula-dwpd = この負荷での DWPD = 1 台のドライブへの毎秒の書き込みバイト数 × 86,400 秒 ÷ 容量
formula-years =
    この負荷での年数 = 定格書き込み量 ÷（1 台のドライブへの毎秒の書き込みバイト数 × 86,400 秒 × 365）。定格書き込み量 = 定格 DWPD × 容量 × 365 × 保証年数、またはメーカーが示す総量。負荷は休みなく続くものとする。
formula-joules-per-tb = J/TB = 平均消費電力 ÷ 負荷が毎秒読み書きしたバイト数 × 10¹²
formula-price =
    1,000 ops/s あたりの価格 = ドライブの価格 ÷ ops/s × 1,000。定格書き込み量 1 TB あたりの価格 = ドライブ 1 台の価格 ÷ TB で表した定格書き込み量。
data-sheet-of = { $subject }：データシートの値の出典は { $source }

## Key-value caches
kv-cache-how =
    プレフィックスの取得時間は、モデルへの要求からキャッシュ済みブロックの最後の読み取りまでで、待ち時間を含む。
    キャッシュにないブロックは書き込む。ヒット率は測定区間の値。エネルギーは最初の電力計による。
    プレフィックスは最初に欠けるブロックの手前まで読み取り、その後のブロックはすべて計算し直す。取得が再計算より短ければ読み取る
    価値がある。
kv-cache-smaller =
    モデルより小さいブロック：{ $steps }。トークン数はそのバイト数が保持できるキーとバリューの分であり、モデルの性能を示さない。
kv-cache-caches = キャッシュと記録
kv-cache-prefix-mean = プレフィックス（平均）
kv-cache-prefix-p95 = プレフィックス（p95）
kv-cache-prefix-p99 = プレフィックス（p99）
kv-cache-prefix-tokens = プレフィックスの平均トークン数
kv-cache-recomputed = 再計算の時間
kv-cache-block-p95 = ブロック読み取り（p95）
kv-cache-write-p95 = 書き込み（p95）
kv-cache-hit-rate = ヒット率
kv-cache-tokens = キャッシュ済みトークン/s
kv-cache-read-mb = 読み取り（MB/s）
kv-cache-joules = 100 万キャッシュ済みトークンあたりのエネルギー
kv-cache-model = 言語モデル
kv-cache-eviction = 追い出し方式
kv-cache-touch = 先に参照するブロック
kv-cache-spread = 到着時刻の配分
kv-cache-block = ブロック
kv-cache-block-tokens = ブロックあたりのトークン数
kv-cache-blocks = 容量（ブロック）
kv-cache-requests = 要求数
kv-cache-hits = ヒット数
kv-cache-behind = 欠けたブロックより後
kv-cache-misses = ミス数
kv-cache-evictions = 追い出し数
kv-cache-memory = メモリ（ブロック）
kv-cache-memory-hits = メモリでのヒット数

## Reads of training samples
training-how =
    アクセラレータ使用率（AU）は、計算時間を全体の時間で割った値。MLPerf Storage は unet3d と resnet50 に 90% 以上を求め、
    それに満たない行に印を付ける。サンプルを待つ原因（ドライブ、ホスト、読み取りスレッド数）はボトルネックに示す。
training-kept = { $subject }は { $count } 個のアクセラレータを使用率 90% 以上に保つ：{ $step }。
training-none-kept = { $subject }が使用率 90% に保てる数は、測定した中にない：{ $step }。
training-accelerators = アクセラレータ数
training-utilisation = 使用率（AU）
training-interval = 95% 信頼区間
training-samples = サンプル/s
training-read-mb = MB/s

## Vector search
vector-search-how =
    各クエリは最も近い 10 個のベクトルを求める。再現率は、全クエリと全ベクトルの比較で求めた真の近傍のうち、結果に含まれる
    割合。再現率とクエリあたりの I/O 数はデータセットの全クエリの平均であり、全対象で等しい。結果が異なる対象は比較しない。
    1 回の I/O はグラフの 1 ノードの読み取り。
vector-search-list = 検索リスト
vector-search-recall = 再現率@10
vector-search-ios = I/O 数/クエリ
vector-search-io-size = I/O サイズ
vector-search-qps = クエリ/s
vector-search-mean = 平均
vector-search-p99 = p99

## 記録された負荷の再生
figure-response-over-time = トレースの到着数と平均応答時間の推移
figure-response-over-time-bursts =
    トレースの到着数と平均応答時間の推移。網掛けはバースト（到着数が中央値の 1.5 倍を超える区間）
figure-arrivals-a-second = 到着数/s
figure-mean-response = 平均応答時間（{ $unit }）
column-arrivals = 到着率
replay-how =
    各要求は記録された時刻に発行する。応答時間はその時刻から数える。100 µs を超えて遅れた発行を遅延発行、
    時刻を過ぎて未発行の要求を滞留とする。
replay-response-median = 応答時間（中央値）
replay-response-p99 = 応答時間（p99）
replay-requests = トレースの要求と再生した要求
replay-requests-of-trace = トレースの要求数
replay-reads-of-trace = 読み取り（トレース）
replay-reads = 読み取り（再生）
replay-size-of-trace = 平均サイズ（トレース）
replay-size = 平均サイズ（再生）
replay-remapped = オフセットの再配置
replay-remapped-how =
    トレースのアドレス範囲は測定範囲より大きい。再利用距離は、同じ 4 KiB への 2 回のアクセスの間にアクセスされた
    他のデータの量であり、それを保持できるキャッシュの大きさに等しい。
replay-model = 記録された負荷とそのモデル
replay-model-how =
    モデルは、dyno trace model がトレースに合わせて作ったストリームのステップである。分散 ÷ 平均は 1 秒ごとのオペ
    レーション数についての値で、一定の速さでランダムに到着すれば 1、バーストがあれば 1 より大きい。
replay-most-a-second = 1 秒間の最大オペレーション数
replay-idc = 分散 ÷ 平均（1 秒）
replay-response-p999 = 応答時間（p99.9）
figure-trace-and-model = 記録された負荷とそのモデルの ops/s の推移
replay-remap = 方法
replay-addressed = トレースの範囲
replay-used = 使用した範囲
replay-reuse-median = 再利用距離（中央値）
replay-reuse-p90 = 再利用距離（p90）
replay-before-after = 再配置前 { $before }、再配置後 { $after }

## dyno bench
bench-interval = 95 % 区間
bench-mean = 平均
bench-cpu = CPU：{ $count } プロセッサーの使用率 { $busy }、うちこの負荷 { $own }。
bench-cpu-per-op =
    CPU：{ $count } プロセッサーの使用率 { $busy }、うちこの負荷 { $own }（1 オペレーション当たり { $per }）。
bench-few-repeats = 各点を { $count } 回だけ測定したため、区間はない。`--repeats 3` を指定する。
bench-few-samples =
    { $figures } はない。パーセンタイルには、それを超えるオペレーションが 100 個必要。より長く測定する（`--runtime`）。
bench-more = ほかに { $count } 件：バンドルを保存し（`-o FILE`）、`dyno compare FILE` で表示する。
