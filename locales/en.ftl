# English: the text of briefs. A line that begins with four spaces continues the one before.

## Lists, and what is not known
list-comma = {", "}
list-and = { $first } and { $last }
date-unknown = date unknown

## Sections
appendix = Appendix { $letter }. { $title }
section-summary = Summary
section-results = Results
section-tpcc = TPC-C
section-limit = Load at a latency limit
section-equal-latency = Load at equal latency
section-fairness = Differences in test conditions
section-findings = All claims
section-differences = All differences
section-figures = Further figures
section-energy = Power and energy
section-limits = Bottleneck
section-drives = Drive by drive, instance by instance
section-preparation = Preparation
section-conclusion = Conclusion
section-marks = Caveats
section-method = How it was measured: definitions and formulas
section-data = Full data
section-server = Server
section-disclosure = Full disclosure

## Columns of tables
column-step = step
column-figure = figure
column-pair = pair
column-comparisons = comparisons
column-first-better = first better
column-second-better = second better
column-not-distinguishable = not distinguishable
column-not-ranked = not ranked

## Conclusion
conclusion-how = How every comparison ended:
conclusion-limits =
    Every interval is of the scatter between repeats on this host and these drives. The findings hold
    for these drives, with this firmware, on this host and software, under these loads; the section
    Full disclosure lists them. One drive of a model does not stand for all of its kind.

## Figures of power
power-of = power of the { $class }
ops-per-watt-of = ops/s per watt of the { $class }
ops-per-watt = ops/s per watt
power-against-throughput = { $class } power against throughput, by { $axis }
power-over-time = power under the throughput{ $at }
power-and-temperature-over-time = power and temperature under the throughput{ $at }
