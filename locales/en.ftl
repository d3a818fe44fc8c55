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

## Bottlenecks, their evidence, and what to change (src/stats)
limit-drive = drive
limit-cpu = host CPU
limit-memory = memory
limit-no-drive = no drive (tmpfs)
limit-neighbour = neighbour
limit-generator = generator
limit-standstill = standstill
limit-rate = rate asked
limit-thermal = thermal throttling
limit-locks = locks
limit-undecided = undecided
verdict-clauses = { $first }; { $second }
verdict-processors-busy = processors { $busy } busy
verdict-processors-others = processors { $busy } busy, { $others } with other processes
verdict-few-at-device = only { $share } of the load's requests were at the device
verdict-hypervisor = the hypervisor gave away { $stolen }
remedy-own-machine = a machine of its own, or virtual processors that nobody shares
remedy-end-others = end what else runs on this host, and measure again
verdict-stood-still = Dyno itself stood still for { $still } of { $window }
remedy-stood-still =
    measure again where nothing stops Dyno: no suspend, no debugger, no overcommitted virtual machine
verdict-tmpfs = the subject's folder is in memory (tmpfs): no drive lies under it
remedy-tmpfs = name a folder on the drive's filesystem, or the device itself
verdict-from-memory = at least { $share } of the reads were served from memory
verdict-left-in-memory = { $share } of the bytes written had not reached the device at the end
remedy-longer-window = a window so long that memory is full before it begins
remedy-direct-or-longer-window =
    `direct = true`, or a window so long that memory is full before it begins
remedy-dataset-beyond-memory = a dataset larger than memory
remedy-dataset-of = a dataset of { $size }
remedy-direct-or = `direct = true`, or { $other }
remedy-smaller-cache = a smaller cache of the engine's own, or a larger dataset
remedy-dataset-fits = the dataset, { $dataset }, fits into { $memory } of memory: { $how }
verdict-neighbour =
    { $share } of the device's time went to requests of others, who read { $read } and wrote { $written }
remedy-neighbour =
    end what else uses the drive (`iotop -o` names it), or measure a drive that nothing else uses
verdict-late = at least { $share } of the ops were handed over late by Dyno itself
verdict-late-p99 =
    at least { $share } of the ops were handed over late by Dyno itself, and p99 of the response time
    is { $ratio } times that of the service time
remedy-late = more workers for the rate, a lower rate, or processors that nothing else uses
verdict-rate-reached = { $share } of the rate asked for was reached
verdict-throttled = the drive throttled itself for { $share } of the window
verdict-thinks = { $share } of its requests were under way; between them it keys and thinks
verdict-too-few-made =
    only { $share } of the requests that it may have under way were: Dyno makes no more
remedy-too-few-made = more threads with less depth each, or larger requests
verdict-no-device = no device seen
verdict-at-device =
    the load's own requests were at the device for { $window } of the window, { $requests } of those
    it may have under way
verdict-at-device-flushing =
    the load's own requests were at the device for { $window } of the window, in flushes for { $flushing }
    of it, { $requests } of those it may have under way
verdict-processors-unknown = processor time unknown
verdict-one-core = one worker, and its core { $busy } busy
verdict-computed = workers computed for { $share } of the time
verdict-own = { $evidence }, { $own } with the load itself
verdict-own-and-servers =
    { $evidence }, { $own } with the load itself, { $servers } with its database servers
remedy-server-processors =
    more processors for the server, or a dataset that its cache does not hold, so that the drive is
    asked more
remedy-processors =
    more or faster processors, or a load that computes less for each byte: larger requests, no compression
verdict-others-waited = its other workers waited for those
verdict-locks =
    workers were off the processor { $off } of the time, and any of their requests at the device for
    only { $window } of it
remedy-locks = fewer threads, or several datasets at once (`instances`), so that none waits
verdict-in-repeats = { $evidence } (in { $count } of { $repeats } repeats; { $others })
verdict-limit-in = { $limit } in { $count }
verdict-limits = { $first }, { $other }

## Differences in test conditions (src/analysis)
difference-fact = { $heading }: { $fact }
difference-setting = { $path }
difference-method = version of the measuring method
difference-preparation = Preparation
difference-temperature = Temperature at the start, { $step }
difference-own-runs = Measured in runs of their own
difference-one-after-other = Measured one subject after the other
difference-unequally = what changed with time met them unequally
difference-nothing-done = nothing
value-of = { $value } ({ $subjects })
values-and = { $first }, { $other }
on-this-host = On this host, { $summary }
difference-times = { $times }

## Axes of steps (src/analysis)
axis-threads = threads
axis-depth = depth
axis-asked-ops = asked ops/s
axis-asked-rate = asked rate
axis-load = load
axis-block = block
axis-instances = instances
axis-rates = multiple of the rates
maximum = maximum
mean = mean

## Figures (src/chart)
figure-nothing-measured = nothing was measured here
figure-seconds = seconds
figure-round = round
figure-share-no-longer = share of operations that took no longer
figure-convergence = Convergence to steady state
figure-convergence-in-rounds =
    { $metric } in rounds of { $round }; last rounds with their fit and mean ± { $band }
figure-drive-of = { $subject }, drive { $drive }
hollow-points = { $caption } (hollow: the asked rate was missed by more than 2 %)
hover-missed-its-rate = { $point }, missed its rate
hover-interval = { $value } (95 %: { $low } to { $high })
hover-not-limited = { $bar }: not limited by the drive
caption-of-step = { $step }: { $caption }
caption-marked = { $caption } ({ $mark } not limited by the drive)
caption-outlined = { $caption } (outline: not limited by the drive)
figure-queue-depth = queue depth
figure-service-time = { $figure } { $class } service time
figure-response-time = { $figure } { $class } response time
figure-service-time-by-percentile = { $class } service time by percentile{ $at }
figure-response-time-by-percentile = { $class } response time by percentile{ $at }
figure-against-throughput = { $what } against throughput, by { $axis }
figure-overload = {"; "}overload beyond the axis is left out
figure-at = {" "}at { $axis } { $value }
figure-throughput = throughput
figure-ops-over-time = ops/s over time{ $at }
figure-of-each-drive = { $figure } of each drive{ $at }
figure-drive = drive { $number }
figure-of-instances = p99 of all instances together, and the mean of their own{ $at }
figure-pooled = pooled
figure-mean-of-instances = mean of the instances' p99s
figure-by-neighbour = latency by neighbour{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = What each step leads with
figures-megabytes = MB/s across workloads, each at its most, on one scale
figures-part = { $caption } ({ $number } of { $count })
verdict-near-ceiling = { $share } of what Dyno generates here in this shape
remedy-near-ceiling = more threads where processors are free, larger requests, or a faster host
verdict-ceiling = generator's ceiling { $ops } ops/s
