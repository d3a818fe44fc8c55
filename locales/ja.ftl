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
section-equal-latency = 等レイテンシでの負荷
section-fairness = 試験条件の違い
section-findings = すべての主張
section-differences = すべての差
section-figures = その他の図
section-energy = 消費電力とエネルギー
section-limits = ボトルネック
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

## Bottlenecks, their evidence, and what to change (src/stats)
limit-drive = ドライブ
limit-cpu = ホスト CPU
limit-memory = メモリ
limit-no-drive = ドライブなし (tmpfs)
limit-neighbour = 他の負荷
limit-generator = 負荷生成側
limit-standstill = 停止
limit-rate = 要求レート
limit-thermal = サーマルスロットリング
limit-locks = ロック
limit-undecided = 不明
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
axis-threads = スレッド数
axis-depth = キュー深度
axis-asked-ops = 要求 ops/s
axis-asked-rate = 要求レート
axis-load = 負荷
axis-block = ブロックサイズ
axis-instances = インスタンス数
axis-rates = レートの倍率
maximum = 最大
mean = 平均

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
