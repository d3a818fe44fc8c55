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
