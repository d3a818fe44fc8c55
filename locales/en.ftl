# English: the text of briefs. A line that begins with four spaces continues the one before.
#
# One word for each concept (GLOSSARY.md defines them), and what is never written in its place; `*`
# stands for any ending. `crates/report/src/language/tests_words.rs` reads this table and holds the messages to it.
#
# | concept | word | never |
# |---|---|---|
# | latency | latency | lag |
# | subject | subject | contestant*, candidate*, device under test |
# | repeat | repeat | repetition*, iteration* |
# | step | step | phase* |
# | stream | stream | job, jobs |
# | sweep | swept | scanned |
# | scatter | scatter | dispersion |
# | sample | sample | specimen* |
# | throughput | throughput | bandwidth |
# | queue depth | queue depth | queue length, iodepth |
# | bottleneck | Bottleneck | choke point |
# | steady state | steady state | steadiness |
# | dataset | dataset | data set, data sets |
# | noisy neighbour | neighbour | neighbor* |
# | thermal throttling | thermal throttling | thermal limiting |
# | endurance | endurance | longevity |
# | claim | claim | assertion* |
# | confidence interval | confidence interval | error bar* |
# | bound | lower bound | minimum bound |

## Lists, and what is not known
percent = {" %"}
list-comma = {", "}
list-and = { $first } and { $last }
clause-break = {"; "}
in-brackets = ({ $what })
aside = {" "}({ $what })
with-detail = { $what } ({ $detail })
date-unknown = date unknown

## Sections
appendix = Appendix { $letter }. { $title }
section-summary = Summary
section-results = Results
section-tpcc = TPC-C
section-training = Accelerator utilisation
section-kv-cache = Key-value caches of language models
section-vector-search = Vector search
section-replay = Replay of recorded loads
section-limit = Load at a latency limit
section-multiple = Largest sustained multiple of the load
section-equal-latency = Load at equal latency
section-fairness = Differences in test conditions
section-findings = All claims
section-differences = All differences
section-figures = Further figures
section-energy = Power and energy
section-write-cost = What a write costs
section-limits = Bottleneck
section-outliers = Outliers
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
conclusion-how = Results of all comparisons:
conclusion-limits =
    Every interval reflects the scatter between repeats on this host and these drives. The findings
    apply to these drives, with this firmware, on this host and software, under these loads; the section
    Full disclosure lists them. One drive does not represent its model.

## Figures of power
power-of = power of the { $class }
ops-per-watt-of = ops/s per watt of the { $class }
ops-per-watt = ops/s per watt
power-against-throughput = { $class } power against throughput, by { $axis }
power-over-time = power under the throughput{ $at }
power-and-temperature-over-time = power and temperature under the throughput{ $at }

## Numbers
given-up = {" "}({ $count } given up)
range = { $low } to { $high }
maximum = maximum (closed loop)
at-least = at least { $difference }
per-op = { $energy } per op

## Metrics
mean = mean
latency = { $figure } latency
latency-of = { $figure } { $class } latency
response-time = { $figure } response time
response-time-of = { $figure } { $class } response time
ops-per-watt-by = ops/s per watt ({ $class }, { $kind })
mb-per-watt-by = MB/s per watt ({ $class }, { $kind })
energy-per-op-by = energy per op ({ $class }, { $kind })
energy-per-tb-by = energy per TB ({ $class }, { $kind })
write-amplification = write amplification
new-orders-per-minute = New-Orders per minute
of-part = { $part } { $figure }
per-minute = { $class }s/min
percentile = p{ $value }
metric-of-instrument = { $metric }, { $class } ({ $kind })

## Axes, and places on them
axis-threads = threads
axis-depth = depth
axis-asked-ops = target ops/s
axis-asked-rate = target rate
axis-load = load
axis-block = block
axis-instances = instances
axis-of-stream = { $key ->
        [threads] threads of { $stream }
        [depth] queue depth of { $stream }
        [rate] target rate of { $stream }
        [load] load of { $stream }
        [block] block size of { $stream }
        [instances] instances of { $stream }
        [scale] scale of { $stream }
       *[other] { $key } of { $stream }
    }
place-on-axis = { $what }, { $axis } { $value }
at-one-thread = {" "}at 1 thread
at-threads = {" "}at { $values } threads
at-depth = {" "}at depth { $values }
at-ops-asked = {" "}at a target of { $values } ops/s
at-rate-asked = {" "}at a target of { $values }
at-load = {" "}at { $values } load
at-maximum-load = {" "}at maximum load
at-one-instance = {" "}at 1 instance
at-instances = {" "}at { $values } instances
at-blocks = {" "}at blocks of { $values }
at-every-thread-count = {" "}at every thread count ({ $low } to { $high })
at-every-depth = {" "}at every depth ({ $low } to { $high })
at-every-rate = {" "}at every rate ({ $low } to { $high })
at-every-load = {" "}at every load ({ $low } to { $high })
at-every-instance-count = {" "}at every number of instances ({ $low } to { $high })
at-every-block-size = {" "}at every block size ({ $low } to { $high })
at-equal-load-of = {" "}at an equal load of { $load } ops/s
at-equal-p99-of = {" "}at an equal p99 of { $latency }
within-the-latency-limit = {" "}within the latency limit
on-average-over = {" "}on average over { $count } points
on-average-over-loads = {" "}on average over { $count } equal loads

## Claims
difference-footnote =
    Difference: the better subject, by how much, and the simultaneous 95 % interval; a gain (superior
    ÷ inferior − 1) where higher is better, a reduction (1 − new ÷ old) for latencies. ▲ shown, ≥ a
    lower bound (the better subject was not limited by its drive), ≈ not distinguishable,
    ‡ not ranked: the worse subject was not limited by its drive. All intervals of a brief hold together
    with a probability of 95 %.
claim-more = { $better } delivers { $by } more { $what } than { $worse }{ $at }
claim-lower = { $better } has { $by } lower { $what } than { $worse }{ $at }
claim-less = { $better } uses { $by } less { $what } than { $worse }{ $at }
claims-more = { $better } delivers { $rivals }{ $at }
claims-lower = { $better } has { $rivals }{ $at }
claims-less = { $better } uses { $rivals }{ $at }
rival-more-of = { $by } more { $what } than { $worse }
rival-times-of = { $by } the { $what } of { $worse }
rival-lower-of = { $by } lower { $what } than { $worse }
rival-less-of = { $by } less { $what } than { $worse }
rival-more = { $by } more than { $worse }
rival-times = { $by } that of { $worse }
rival-lower = { $by } lower than { $worse }
rival-less = { $by } less than { $worse }
with-knob = { $subject } with { $knob }
claim-family = { $comparisons ->
        [one] { $repeats } repeats; interval of a single comparison
       *[other] { $repeats } repeats; interval simultaneous over { $comparisons } comparisons
    }
claim-sessions = sessions as a random effect: { $better } and { $worse }
claim-largest-of = { $points ->
        [one] the only point that shows it
       *[other] the largest of { $points } points that show it
    }
claim-untested = windows of { $window }, too short to test for drift
claim-no-drive = { $better } reached no drive
claim-host-limited = { $better } was limited by the host, so its drive could show more
calculation-how = { $calculation }, { $how }
adjusted-for-order = levels adjusted for the order of measurement
of-common-repeats = levels of the repeats that both completed
figures-beside = { $own } and { $other }
in-separate-runs = measured in separate runs
order-not-given = order of measurement not given
calculation-less = { $calculation }, { $difference } less
of-step = { $step }: { $sentence }
full-stop = { $sentence }.
crossed-lower =
    { $before } has the lower { $what } up to { $until }, { $after } from { $from } on
crossed-higher =
    { $before } has the higher { $what } up to { $until }, { $after } from { $from } on
differs = { $what } differs, { $values }
not-comparable = { $other } and { $first } are not comparable: { $differences }.
not-comparable-in =
    { $other } and { $first } are not comparable in { $step }: { $differences } (if that is the question,
    name it: --vary).

## What a claim is of
on-one-device = on one device
of-these-two-drives = of these two drives
of-two-drives = of two drives, { $first } and { $other }
drives-each = { $count ->
        [one] 1 drive each
       *[other] { $count } drives each
    }
drives-of-two = { $first } and { $other } drives
of-these-drives = of these drives

## Bottlenecks
evidence-and-remedy = { $evidence }. To measure the drive: { $remedy }
limit-drive = drive
limit-cpu = host CPU
limit-memory = memory
limit-no-drive = no drive
limit-control-group = control group
limit-neighbour = neighbour
limit-generator = generator
limit-standstill = standstill
limit-rate = target rate
limit-thermal = thermal throttling
limit-locks = locks
limit-undecided = undecided
limiter-cpu = the host's processors
limiter-memory = memory
limiter-no-drive = the host alone
limiter-control-group = limits of a control group
limiter-neighbour = other programs on the drive
limiter-generator = the load generator
limiter-standstill = pauses of Dyno itself
limiter-locks = locks between workers
limiter-limited = { $limiter } limited { $count }
limiter-count = { $limiter } { $count }

## Caveats
caveat-not-measured = not measured
caveat-failed = { $count ->
        [one] 1 repeat failed
       *[other] { $count } repeats failed
    }
caveat-not-steady = the drive had not reached steady state
caveat-no-flush = the drive reports a volatile write cache that is on, but the kernel treats it as write through and sends neither flushes nor FUA: these writes were not durable
caveat-drifted = ops/s drifted by { $change } over the window
caveat-missed-rate = achieved { $share } of the target rate
caveat-stream-missed-rate = stream { $stream } achieved { $share } of the target rate
caveat-late = { $share } of its requests were submitted late
caveat-littles-law =
    ops/s × mean latency is { $share } of the mean number of ops in flight (Little’s law): the window is too
    short for its slowest ops, or was not steady
caveat-few-repeats = { $count ->
        [one] measured once: repeat it (`--repeats 5`) before comparing
       *[other] measured { $count } times: repeat it (`--repeats 5`) before comparing
    }
caveat-every-point-few-repeats = { $count ->
        [one] Every point was measured once: repeat it (`--repeats 5`) before comparing
       *[other] Every point was measured { $count } times: repeat it (`--repeats 5`) before comparing
    }
caveat-not-the-drive = limited by { $limit }, not by the drive: { $why }
caveat-no-drive = no drive was measured: { $why }
caveat-of = { $places }, { $subject }: { $caveat }

## Notes
notes = Notes
note-moved-alone-ops =
    repeat { $repeat } of { $subject } ran at { $factor } × its others; its levels and
    ratios are less precise for it
note-moved-alone-p99 =
    repeat { $repeat } of { $subject } had a p99 of { $factor } × its others; its levels
    and ratios are less precise for it
note-moved-ops = repeat { $repeat } ran at { $factor } × for { $subjects ->
        [2] both subjects
       *[other] all { $subjects } subjects
    }; levels are less precise for it, ratios within repeats are not
note-moved-p99 = repeat { $repeat } had a p99 of { $factor } × for { $subjects ->
        [2] both subjects
       *[other] all { $subjects } subjects
    }; levels are less precise for it, ratios within repeats are not
note-device-errors =
    { $place }, { $subject }: the drive or its link counted errors: { $errors }
errors-media = { $count ->
        [one] 1 unrecovered data error (health log)
       *[other] { $count } unrecovered data errors (health log)
    }
errors-log = { $count ->
        [one] 1 entry of the error log
       *[other] { $count } entries of the error log
    }
errors-link-correctable = { $count ->
        [one] 1 corrected PCIe error
       *[other] { $count } corrected PCIe errors
    }
errors-link-nonfatal = { $count ->
        [one] 1 uncorrected non-fatal PCIe error
       *[other] { $count } uncorrected non-fatal PCIe errors
    }
errors-link-fatal = { $count ->
        [one] 1 fatal PCIe error
       *[other] { $count } fatal PCIe errors
    }
note-apart =
    { $place }, { $subject }: drive { $drive } deviates from the other { $others } of its model:
    { $ops } against { $usual } ops/s
drives-and-repeats =
    { $drives }, which scatter by { $by } from drive to drive and by { $repeats } from repeat to
    repeat
drives-scatter = { $drives }, which scatter by { $by } from drive to drive
note-models =
    drive for drive, { $better } delivers { $by } more ops/s than { $worse }, { $drives }; the interval
    treats drives as a random effect and is separate from the brief's simultaneous intervals
note-models-open =
    drive for drive, { $first } and { $other } are not distinguishable in ops/s: { $by }, { $drives };
    the interval treats drives as a random effect and is separate from the brief's simultaneous
    intervals

## The first page
nor = , nor{" "}
apart-there = { $pairs } were measured in separate runs
undecided-there = { $pairs } cannot be distinguished there
two-sentences = { $first } { $second }
changes-more-times = { $count ->
        [one] { $sentence } The better one changes 1 more time.
       *[other] { $sentence } The better one changes { $count } more times.
    }
open-not-limited =
    { $first } and { $other } cannot be ranked by { $what }, which the drives did not limit.
open-too-few =
    { $first } and { $other } cannot be distinguished by { $what }: { $repeats } repeats are too few
    to decide.
open-separate-runs =
    { $first } and { $other } were measured in separate runs: { $what } differs between two times as well
    as between them, so no difference is stated.
open-order-not-given =
    Of { $first } and { $other } the order of measurement is not given: { $what } may differ between two times
    as well as between them, so no difference is stated.
open-difference =
    { $first } and { $other } cannot be distinguished by { $what }; the difference is { $difference }.
alone-watts = { $watts } W
alone-limited-by-drive = The drive limited it.
alone-limited-from = The drive limited it{ $at } and more.
alone-limited-otherwise = The drive did not limit it: { $limit }.
level = { $step }: { $subject }, { $figure }{ $at }.
conditions-published =
    As published, without repeats: under the conditions that the source states, which Dyno did not
    see.
conditions-imported =
    As imported: under the conditions that the source states, which Dyno did not see.
measured-times = { $count ->
        [one] Measured once
       *[other] Measured { $count } times
    }
window-a-point = { $window } per point
kernel = kernel { $release }
brackets-are-intervals =
    ranges in brackets are 95 % intervals that hold together for the whole brief
no-rank-none-measured =
    No drive can be ranked here, because no point was measured to its end. The first: { $first }
no-rank-barred = No drive can be ranked here, because { $reason }
no-rank-not-comparable-in =
    No drive can be ranked here, because no two subjects can be compared in { $metrics }.
no-rank-separate-runs =
    No drive can be ranked here, because the subjects were measured in separate runs: measure them in turns
    (one plan with all of them).
no-rank-order-not-given =
    No drive can be ranked here, because the source does not state that the subjects were measured in turns.
no-rank-chance =
    No drive can be ranked here, because no difference is larger than chance allows; more repeats narrow
    the intervals (`--repeats 10`).
see-bottleneck = see “Bottleneck” for what to change
to-measure-the-drive = To measure the drive: { $change }

## Imported figures

## What a step's figures come to
none-compared-here = No two subjects could be compared here.
knee-at = at { $load } ops/s with a p99 of { $p99 } ({ $subject })
knees = The knee of the curve is { $knees }.
p99-from-to = from { $low } at { $from } to { $high } at { $to } ({ $subject })
p99-moves = p99 moves { $moves }.
ops-and-p99-change = ops/s change by { $ops } and p99 by { $p99 } ({ $subject })
ops-and-p99 = { $ops } and { $p99 } ({ $subject })
from-to-threads = From { $from } to { $to } threads, { $changes }.
from-to-instances = From { $from } to { $to } instances, { $changes }.
from-to = From { $from } to { $to }, { $changes }.
drive-limited = { $points ->
        [one] { $drive ->
            [0] The drive did not limit the only point.
           *[other] The drive limited the only point.
        }
       *[other] { $drive ->
            [0] The drive limited none of the { $points } points.
           *[other] The drive limited { $drive } of { $points } points.
        }
    }
drive-limited-otherwise = { $points ->
        [one] { $drive ->
            [0] The drive did not limit the only point; { $others }.
           *[other] The drive limited the only point; { $others }.
        }
       *[other] { $drive ->
            [0] The drive limited none of the { $points } points; { $others }.
           *[other] The drive limited { $drive } of { $points } points; { $others }.
        }
    }
between-sentences = {" "}

## Bottlenecks, in their section
see-bottleneck-marks = † Not limited by the drive: see “Bottleneck”.
see-caveats-marks = † Not limited by the drive: see “Caveats”.
bottleneck-how =
    Determined from the kernel's counters of processors, devices and Dyno's own processes over each
    window, and from the requests that Dyno had in flight. The drive limited a point if at least
    half of the load's own requests were at the device, or if its workers waited for one that was;
    time in flushes counts as the device's.
bottleneck-sum =
    The drive limited { $drive } of { $points ->
        [one] 1 point
       *[other] { $points } points
    }. { $others ->
        [one] 1 was limited by something else and is marked { $mark }: it ranks no drives.
       *[other] { $others } were limited by something else and are marked { $mark }: they rank no drives.
    }
bottleneck-rest = The others ran at their target rate or are undecided.

## Outliers
outliers-how =
    The slowest 1,000 requests of each point, by response time, and at most one request in a
    hundred. The shares are of the sum of their response times. Drive: the request was with the
    kernel, and at most a fifth of its time can have been spent waiting for a processor. Host: at
    least half of its time was, or Dyno as a whole did not run. All others are unknown and not
    attributed to the drive. docs/outliers.md has the rule and its limits.
outliers-line =
    { $place }: slowest { $count } from { $least } to { $most }: drive { $drive }, host { $host },
    unknown { $unknown }
outlier =
    { $place }, repeat { $repeat } at { $seconds }: { $latency } for { $class } of { $size } bytes at { $address }
    ({ $stream }, drive { $drive }, worker { $worker }, queue depth { $depth }): { $cause }, { $reason }
outlier-beside = { $outlier }; at the same time: { $beside }
slow-commands-how =
    Slow commands by the drive’s own count (OCP latency monitor, log C3h), and ops of at least the
    same service time by Dyno, over the window and all repeats. The drive counts the commands of
    all users and namespaces.
column-slow-by-drive = drive’s count
column-slow-by-dyno = Dyno’s count
column-outliers = outliers
column-from-latency = from
column-mostly-unknown = unknown mostly because
cause-drive = drive
cause-host = host
cause-unknown = unknown
reason-at-drive = the worker waited for nothing else
reason-waited = the worker waited for a processor
reason-stopped = Dyno did not run
reason-behind = queued behind another
reason-not-at-device = the device had no request
reason-other-drives = other drives stalled with it
reason-not-direct = not direct I/O
reason-both = host and drive may both have contributed
reason-not-watched = not observed
beside-waited = at least { $time } without a processor
beside-switches = { $count ->
        [one] 1 context switch
       *[other] { $count } context switches
    }
beside-steal = up to { $time } steal time
beside-stalled = { $time } without a completion by the device
beside-idle = { $time } without a request at the device
beside-throttled = thermal throttling
beside-health-read = health log being read
beside-interrupts = { $rate } interrupts
beside-processor = busiest processor { $busy }

## Multiples of a load
multiple-found = { $subject } sustains { $multiple } the load [{ $low } to { $high }], { $repeats ->
        [one] found once
       *[other] found { $repeats } times
    }.
multiple-at-least = { $subject } sustains at least { $multiple } the load: no tried multiple failed.
multiple-holds =
    A multiple holds if at most { $share } of the requests of { $stream } take longer than
    { $limit } and the load does not fall behind its schedule. The table has the share of requests that took
    each time or longer.
multiple-holds-fewer = Fewer than { $share } of them must take { $limit } or longer.
multiple-holds-fewer-in = In every period of { $period }, fewer than { $share } of them must take { $limit } or longer; a shorter window is one period.
multiple-how =
    The largest multiple that holds for all steps, below the smallest that does not: geometric mean
    over the repeats. The interval is that of the repeats (95 %, from three on), and extends at
    least from the largest that held to the smallest that did not.
column-time = time
column-holds = verdict
time-response = response
time-response-worst = response, worst { $period }
time-service = service
holds = holds
does-not-hold = does not hold

## More columns of tables
column-subject = subject
column-limited-by = limited by
column-because = because
column-at = at
column-repeat = repeat
column-cause = cause
column-stream = stream
column-asked = target
column-achieved = achieved
column-share = share
column-late = late
column-max-backlog = max backlog
column-backlog-at-end = backlog at the end
column-what = what
column-values = values
column-class = class
column-repeats = repeats
column-max = max
column-min = min
column-median = median
column-least = least
column-most = most
column-with = with
column-difference = difference
column-drive = drive
column-drives = drives
column-instances = instances
column-ops-sum = ops/s, sum
column-p99-merged = p99, merged
column-p99-pooled = p99, pooled
column-mean-of-p99s = mean of p99s
column-power-of = power of
column-energy = energy
column-idle = idle
column-knee-ops = knee, ops/s
column-knee-p99 = knee, p99
column-load-at-equal-p99 = load at equal p99
column-p99-at-equal-load = p99 at equal load, mean
column-most-within = most { $axis } with { $stream } { $percentile } ≤ { $limit }
column-first-beyond = first that does not hold
column-done = done
column-verdict = verdict
column-rounds = rounds
column-window = window
column-excursion = excursion
column-allowed = allowed
column-slope = slope
column-transaction = transaction
column-number = number
column-rolled-back = rolled back
column-slowest = slowest
column-limit-90 = limit for 90 %
column-calculation = calculation
column-result = result
column-other-formula = other formula

## Caveats, in their section
caveats-points = Points with a caveat
caveats-support-no-claim = Their figures are shown; they support no claim.
caveats-wider = Wider than requested
caveats-failed = Failed points
caveats-failed-note = They are excluded from all estimates.
caveats-oddities = Overflow and misses
caveats-none =
    No caveats: no point failed, drifted or missed its target rate, and no latency overflowed.
caveats-asked = Target and achieved rates
caveat-wider =
    { $place }, { $subject }: ±{ $half } after { $repeats } repeats; the target was ±{ $asked }
rates-kept = { $count ->
        [one] 1 stream of a point met its rate within 2 % and submitted less than 1 % of it late.
       *[other] { $count } streams of points met their rate within 2 % and submitted less than 1 % of it late.
    }
other-rates-kept = { $count ->
        [one] The other stream of a point met its rate within 2 % and submitted less than 1 % of it late.
       *[other] The other { $count } streams of points met their rate within 2 % and submitted less than 1 % of
            it late.
    }
oddity-overflow = { $count ->
        [one] 1 latency above one hour
       *[other] { $shown } latencies above one hour
    }
oddity-given-up = { $count ->
        [one] 1 transaction ({ $share }) rolled back repeatedly by the server and abandoned: not in the rate
       *[other] { $shown } transactions ({ $share }) rolled back repeatedly by the server and abandoned: not in
            the rate
    }
oddity-misses = { $count ->
        [one] 1 read ({ $share }) found no such key
       *[other] { $shown } reads ({ $share }) found no such key
    }

## Conditions, data, disclosure
nothing-differs = As far as is known, the subjects differ only in their drives.
grade-disqualifying = disqualifying
grade-confounder = possible confounder
grade-harmless = harmless
data-how =
    Every stream and class. Streams in grey are background load and do not count in the headline.
    Latencies are service times, or response times if a target rate was set: the class says which
    where both occur. “all” is reads and writes together. “≥” is a lower bound: ops that were due had
    not been submitted when the load ended. “–” means not measured: fewer than 100 samples lay above
    that percentile.
runs = Runs
run = { $repeats ->
        [one] { $when }, dyno { $version }, { $repeats } repeat
       *[other] { $when }, dyno { $version }, { $repeats } repeats
    }
run-header = { $repeats ->
        [one] { $file } · { $when } · 1 repeat · dyno { $version }
       *[other] { $file } · { $when } · { $repeats } repeats · dyno { $version }
    }
resolved-plan = Resolved plan of { $file }
server-hardware = Server hardware
server-software = Server software
server-memory-of-step = Memory of the load, { $step }
server-memory-limit = limited to { $size }, page cache included (control group)
kernel-parameters = { $others ->
        [one] { $shown } (1 other parameter not shown)
       *[other] { $shown } ({ $others } other parameters not shown)
    }
kernel-no-parameters = { $others ->
        [one] none that is known to matter (1 other parameter not shown)
       *[other] none that is known to matter ({ $others } other parameters not shown)
    }

## What whoever publishes a brief declares
competitor = Competitor { $letter }
declared-class = Class and market: { $class }
declared-sponsor = Sponsor: { $sponsor }
declared-notes = Notes
declared-links = Product pages
declared-disclaimers = Disclaimers
declared-footnotes = Footnotes

## Drives and instances
drives-aggregation =
    For several drives: ops/s are summed, percentiles are those of the merged histograms (not a mean of
    percentiles); min, median and max are of the individual drives.
drives-pooled =
    For several instances: the pooled p99 is that of the merged histograms, of all their
    transactions together; next to it is the mean of the instances' own p99s, as printed in reviews
    of several virtual machines. They answer different questions.
instance-by-instance = Instance by instance: { $step }

## Power
energy-how =
    Power is that of the item in the third column, as its instrument reports it; classes are never
    compared. Energy is the trapezoidal integral of the readings, at their own times, over the
    measured window shifted by the instrument's delay: the delay, up to { $seconds } s, at which its
    readings follow the ops/s best, the same for all points of an instrument. It is omitted if
    readings cover less than 99 % of the window. Idle power is not subtracted.
meter-late = { $meter }: lags the load by { $late }; corrected.
meter-unknown-delay = { $meter }: does not follow the load closely enough to determine its delay.
meter-delay-open =
    { $meter }, { $step } { $at }: with the meter's delay, which is not known more exactly, the mean power may differ by
    ±{ $open }: no energy and no work per watt.
meter-too-little =
    { $meter }, { $step } { $at }: readings cover { $covered } of the window, too little for energy.
power-meters = Power meters

## Load at equal latency, and at a limit
equal-load-how =
    The knee is the measured point farthest below the straight line between the curve's ends, both
    axes scaled alike; none if it sags by less than a tenth. Loads at equal p99 (that of the first
    subject's knee) and p99 at equal load (over the loads that all curves share) are read off the
    straight lines between measured points, repeat by repeat, and compared with the brief's subject
    as any other figure.
limit-how =
    Only the values of the sweep that the bisection needed were measured. A value holds if the
    percentile, over all repeats, is within the limit; values above one that did not hold were not
    measured. At low rates a window is as long as the percentile needs for its samples; a value with
    too few ops is not measured.
row-at-load = at { $load } ops/s
row-at-p99 = at a p99 of { $latency }
row-within-limit = within the limit

## All claims
findings-how =
    A claim is made only if the simultaneous 95 % interval excludes “no difference”: the probability
    that any claim of this brief is false is at most 5 %. Of several points that show the same, the
    one with the strongest lower bound is stated. Numbers are rounded towards the weaker claim.
    Points with a caveat support none.
caveats-noted = Caveats noted: { $count }; the section Caveats lists them.
claims-for = Claims for { $subject }
claims-none = None.
claims-weaker = { $count ->
        [one] The tables of the steps have 1 weaker one.
       *[other] The tables of the steps have { $count } weaker ones.
    }
claim-with-basis = { $claim } ({ $basis }).
caveats-of-claims = Caveats (these points support no claim, or only a bound)

## Preparation
not-steady-warning =
    { $drive } did not reach steady state within { $rounds ->
        [one] 1 round
       *[other] { $rounds } rounds
    }. Its points were measured anyway, and may reflect the state in which its preparation ended rather
    than the drive itself.
steady = steady
not-steady = NOT steady
too-few-rounds = NOT steady: too few rounds to judge { $metric }
steady-after =
    steady after { $rounds } rounds by { $metric }: excursion { $excursion }, slope { $slope }
not-steady-within =
    NOT steady within { $rounds ->
        [one] 1 round
       *[other] { $rounds } rounds
    } by { $metric }: excursion { $excursion }, slope { $slope }

## Results
differences-as-published =
    Differences: as published, without repeats; the superior subject, and by how much. They are
    arithmetic, not claims.
swept-along = swept along { $axis }
open-loop = open loop
closed-loop = closed loop
window-too-short = { $window } per point, too short to test for drift
percentiles-response = percentiles are { $class } response times
maximum-is-service = at the maximum, service times
percentiles-service = percentiles are { $class } service times
summed-over-drives = ops/s summed and histograms merged over drives
summed-over-instances = ops/s summed and histograms merged over instances
summed-over-drives-and-instances = ops/s summed and histograms merged over drives and instances

## The scoreboard and the conclusion
result-even = even
result-even-by = even, { $difference }
result-not-shown = not shown
result-not-one-best = no single best
best-in-higher = { $subject } has the higher { $what } in { $count } of { $of } steps
best-in-lower = { $subject } has the lower { $what } in { $count } of { $of } steps
best-in-also = { $subject } in { $count }
best-in-also-at = { $subject } at { $count }
best-in-even = { $count ->
        [one] 1 is even
       *[other] { $count } are even
    }
best-in-open = { $count ->
        [one] 1 shows no difference
       *[other] { $count } show no difference
    }
best-higher = { $subject } has the { $of ->
        [2] higher
       *[other] highest
    } { $what }{ $at }{ $until }
best-lower = { $subject } has the { $of ->
        [2] lower
       *[other] lowest
    } { $what }{ $at }{ $until }
even-in = the difference in { $what } is within 5 %
open-in = no difference in { $what } is shown
at-some = {" "}at { $count } of { $of } points
range-up-to = {" "}up to { $to }
range-from-on = { $subject } from { $from } on
range-between = { $subject } from { $from } to { $to }
range-at = { $subject } at { $at }
limit-published =
    The figures are single runs as published, so any difference may be chance.
limit-separate-runs =
    The drives were not measured in turns, so these are the figures as measured, and no claims.
limit-specimens = One drive of each was measured: others of its model may differ.
amount-one-thread = 1 thread
amount-threads = { $value } threads
amount-depth = depth { $value }
amount-ops = { $value } ops/s
amount-load = { $value } load
amount-maximum-load = maximum load
amount-one-instance = 1 instance
amount-instances = { $value } instances
amount-rates = { $value } × the rates
as-measured = As measured, not in turns: { $sentence }.
rises-between = The { $what } of { $subject } rises from { $low } to { $high } between { $from } and { $to }
lead-grows = The lead of { $subject } over { $rival } in { $what } grows from { $low } to { $high }
lead-shrinks = The lead of { $subject } over { $rival } in { $what } shrinks from { $low } to { $high }
no-rank = No drive can be ranked here.
no-rank-main = No drive can be ranked here. { $cause }
barred-by = { $other } and { $first } are not comparable: { $names } differ.
figure-gap = not measured
appendices-on-request =
    Every point and every difference: `dyno export --table points` and `--table comparisons` write them as
    CSV; a brief.toml with `sections` adds them to the brief.
title-of-tests = { $subjects }: head to head
of-many-steps = In { $count } steps { $sentence }
section-counts = Comparisons by result

## Summary
summary-how =
    ▲ better than every other subject, by a claim. † not limited by the drive. Difference: the better
    subject, by how much, and its interval.
summary-how-published =
    As published, without repeats: no claim is made, and no subject is marked as best.
mean-of-equal-loads = , mean of equal loads
mean-of-points = {", "}mean of { $count } points
at-equal-latency = {" "}at equal latency
within-the-limit = {" "}within the limit

## TPC-C
tpcc-limits =
    Limits: 90 % of each kind must be answered in that time (clause 5.2.5.3), and 90 % of deferred
    Deliveries executed within 80 s of entering the queue (clause 2.7.2.2). If terminals have keying
    and think times, times are response times, counted from when the terminal sent; a limit counts
    as met if p90 or the slowest of all is within it. Minimum shares (clause 5.2.3): Payment 43 %,
    Order-Status, Delivery and Stock-Level 4 % each.
tpcc-deviations =
    New-Orders per minute are not tpmC: this is not an audited result and not comparable with
    published ones. Departures from the specification: no foreign keys are declared; transactions
    run at the server's default isolation level (MariaDB and MySQL: repeatable read, PostgreSQL and
    SQL Server: read committed), with rows locked before they are written; a deferred Delivery waits
    for its terminal's connection and is logged in the latencies instead of a result file; inputs
    come from the driver, there are no screens; checkpoints, durability and 180-day storage are not
    tested; without keying and think times (no-wait) each transaction uses a randomly drawn
    terminal. Rolled-back New-Orders are not included in New-Orders per minute.
subject-times = { $subject } ({ $count } times)
tpcc-conditions-kept =
    { $step }: all twelve conditions of clause 3.3.2 hold on { $subjects }; the longest check took {
    $time }.
new-orders = { $rate } New-Orders per minute
kept-by-all = kept by all
kept = kept
p90-above = p90 above it
committed = , committed.
committed-by-terminals = , committed, at the rate that the terminals' keying and think times set on any drive.

## Method
procedure = Procedure
procedure-of = { $title } ({ $protocol }). Source: { $source }
step-named = Step { $step }
step-windows = { $warmup } of warm-up, not counted, then { $window } measured.
service-time = Service time
response-time-term = Response time
percentiles = Percentiles
several-drives = Several drives or instances
method-ops =
    Ops completed inside the measured window divided by its length, summed over the subject's drives
    and instances and over the streams that count in the headline.
method-mb = Bytes that those ops moved, in units of 1,000,000 bytes, divided by the window.
method-service-time =
    From handing the request to the engine to its completion, by one monotonic clock.
method-response-time =
    If a target rate was set: from the moment the request was due to its completion, so that waiting
    behind a slow request is counted. A late request is counted late and never dropped.
method-percentiles =
    From histograms with a relative error of at most 0.1 %, merged over workers, drives and
    instances, never over classes. The latency that the given share of the ops did not exceed. Shown
    only if at least { $samples } samples lie above it.
method-several-drives =
    Ops and bytes are summed. Percentiles are those of the merged histograms, never a mean of
    percentiles. Of several repeats, the geometric mean of their figures is shown.
interval = Interval (±)
gain = Gain
reduction = Reduction
comparison = Comparison
one-family = One family
lower-bound = Lower bound (≥)
rounding = Rounding
self-test = Self-test
difference = Difference
method-interval =
    Half the width of the 95 % confidence interval of a level: Student's t over the logarithms of
    three or more repeats. With one or two repeats there is none, only the minimum and maximum.
method-gain =
    Superior ÷ inferior − 1. Used if higher is better: 1.5 times as many is a gain of 50 %.
    Above a factor of ten, the factor itself: superior ÷ inferior.
method-reduction = 1 − new ÷ old. Used for latencies: half as long is a reduction of 50 %.
method-comparison =
    The ratio of geometric means over repeats, from a model of logarithms with the repeat as block
    and the place in the order of measurement as a factor. Variances of points are moderated (Smyth
    2004).
method-one-family =
    All comparisons of this brief, over all steps, subjects, figures and points, share one 5 %
    chance that any interval misses the true value: 4 % for single points, 1 % for step means
    (Bonferroni). Decision and interval are identical.
method-lower-bound =
    The better subject was not limited by its drive, but the other was: the difference is at least
    the lower end of the interval.
method-rounding =
    Towards the weaker claim, to two digits of the interval's half-width; ends of intervals are rounded
    outwards.
method-caveats =
    Points that failed in a repeat, fell short of the target rate by 2 % or more, submitted 1 % or
    more of an open loop's requests late, are on a drive that did not reach the required steady
    state, or drifted in any repeat (see docs/claims.md) support no claim.

## Imported figures, in tables
published-how =
    As published, without repeats: computed from the published figures. Their scatter is unknown, so no
    claim is made from them.
published-row =
    { $step }, { $figure } at { $at }, { $subject } with { $rival }: { $calculation } = { $result }
    ({ $other })
formula-gain = gain
formula-reduction = reduction
formula-factor = factor

## Specification
specification = Specification
stated-not-measured =
    As stated by the makers or the named sources; nothing in this table was measured.
for-the-money = Performance for the price
for-the-money-how =
    The headline figure of each step, divided by the price above. Prices are not measured and change
    from day to day; no difference between these quotients is claimed. Figures not limited by the
    drive are omitted.
price-of = { $subject }: price of { $date }, source: { $source }
spec-capacity = capacity
spec-form-factor = form factor
spec-interface = interface
spec-endurance = endurance
spec-warranty = warranty
spec-price = price
verdict = Verdict

## The byline
measured-with = { $when } · measured with Dyno { $version }
imported-into = { $when } · imported into Dyno { $version }
own-protocol = { $measured } · a protocol of Dyno's own
after-source = { $measured } · source: { $source }
figures-after-source = { $measured } · source: { $source }
control-run = { $title } (control run: subjects share a device)

## Screens
streams-in-brackets = (in brackets: streams that do not count in the headline)
limited-by = { $place }: { $limit }; { $evidence }
stream-reached-and-late =
    { $place }: stream { $stream }: reached { $reached } of the target rate; { $late } of its requests
    were submitted late; max backlog { $backlog }
stream-late =
    { $place }: stream { $stream }: { $late } of its requests were submitted late; max backlog { $backlog }
failed-point = { $subject }, { $step } { $at } repeat { $repeat }: { $cause }
failed-points = Failed points ({ $count }), excluded from all estimates
axis-rates = multiple of the rates
at-rates = {" "}at { $values } the rates
at-every-multiple = {" "}at every multiple of the rates ({ $low } to { $high })
axis-scale = multiple of the recorded pace
axis-knob = setting of the workload
axis-trace-device = device of the trace
axis-trace-start = start of the trace's window
axis-trace-remap = remapping of offsets
axis-trace-pace = pace of the replay
axis-search-list = search list
axis-beam = beam
at-knob = {" "}at { $axis } { $values }
at-scale = {" "}at { $values } the recorded pace
at-every-scale = {" "}at every multiple of the recorded pace ({ $low } to { $high })

## Pages
page-skip = Skip to the content
page-sections = Sections
page-footer =
    Made by Dyno { $version } from raw histograms and intervals. Every number here can be recomputed
    from the bundle.
page-of = { $page } of { $pages }
rows-elsewhere = { $rows } rows: see the HTML and Markdown forms, or `dyno export`.
lines-elsewhere = { $title }: { $lines } lines: see the HTML and Markdown forms, or the bundle.

## Bottlenecks, their evidence, and what to change (crates/report/src/brief/text)
verdict-clauses = { $first }; { $second }
verdict-processors-busy = processors { $busy } busy
verdict-processors-others = processors { $busy } busy, { $others } with other processes
verdict-few-at-device = only { $share } of the load's requests were at the device
verdict-hypervisor = the hypervisor gave { $stolen } to other machines
remedy-own-machine = a dedicated machine, or virtual processors that are not shared
remedy-end-others = stop the other programs on this host, and measure again
verdict-stood-still = Dyno itself stood still for { $still } of { $window }
remedy-stood-still =
    measure again without interruptions of Dyno: no suspend, no debugger, no overcommitted virtual
    machine
verdict-tmpfs = the subject's directory is in memory (tmpfs), not on a drive
remedy-tmpfs = use a directory on the drive's filesystem, or the device itself
verdict-no-data = the engine stores no data: no request reaches a drive
remedy-no-data = an engine that stores data
verdict-from-memory = at least { $share } of the reads were served from memory
verdict-left-in-memory = { $share } of the bytes written had not reached the device at the end
remedy-longer-window = a longer warm-up and window, so that memory is full before the window begins
remedy-direct-or-longer-window =
    `direct = true`, or a longer warm-up and window, so that memory is full before the window begins
remedy-dataset-beyond-memory = a dataset larger than memory
remedy-dataset-of = a dataset of { $size }
remedy-direct-or = `direct = true`, or { $other }
remedy-smaller-cache = a smaller cache in the engine, or a larger dataset
remedy-without-holes =
    a dataset without holes (give it a `fill`): blocks that were never written, or were discarded, are
    not read from the device
remedy-dataset-fits = the dataset, { $dataset }, fits into { $memory } of memory: { $how }
verdict-group-reads =
    throttled by the control group at { $limit } read IOPS ({ $group }), of which { $share } were
    reached
verdict-group-writes =
    throttled by the control group at { $limit } write IOPS ({ $group }), of which { $share } were
    reached
verdict-group-read =
    throttled by the control group at { $limit } of reads ({ $group }), of which { $share } were
    reached
verdict-group-written =
    throttled by the control group at { $limit } of writes ({ $group }), of which { $share } were
    reached
remedy-control-group =
    start Dyno outside of that control group, or raise its limit (`io.max`; blkio.throttle in version 1)
verdict-cpu-limit =
    throttled by the control group at { $cores } processors, in { $share } of its periods
remedy-cpu-limit =
    start Dyno outside of that control group, or raise its limit (`cpu.max`; cpu.cfs_quota_us in version 1;
    `--cpus` of a container, `limits.cpu` in Kubernetes)
verdict-neighbour =
    { $share } of the device's time was spent on requests of others, which read { $read } and wrote
    { $written }
remedy-neighbour =
    stop the other programs that use the drive (`iotop -o` lists them), or measure a drive that nothing
    else uses
verdict-late = at least { $share } of the ops were submitted late by Dyno itself
verdict-late-p99 =
    at least { $share } of the ops were submitted late by Dyno itself, and p99 of the response time
    is { $ratio } times that of the service time
remedy-late = more workers for the rate, a lower rate, or processors that nothing else uses
remedy-late-on-idle-host =
    keep idle processors from deep sleep (`cpupower idle-set --disable-by-latency 0`), or use a host
    that is not a virtual machine
verdict-rate-reached = { $share } of the target rate was reached
verdict-throttled = the drive throttled itself for { $share } of the window
verdict-thinks = { $share } of its requests were in flight; between them are keying and think times
verdict-too-few-made =
    only { $share } of the permitted requests were in flight: Dyno cannot generate more
remedy-too-few-made = more threads with a lower depth each, or larger requests
verdict-no-device = no device seen
verdict-at-device =
    the load's own requests were at the device for { $window } of the window, { $requests } of its
    permitted number
verdict-at-device-flushing =
    the load's own requests were at the device for { $window } of the window, in flushes for {
    $flushing } of it, { $requests } of its permitted number
verdict-processors-unknown = processor time unknown
verdict-one-core = one worker, with its core { $busy } busy
verdict-computed = workers computed for { $share } of the time
verdict-own = { $evidence }, { $own } with the load itself
verdict-own-and-servers =
    { $evidence }, { $own } with the load itself, { $servers } with its database servers
remedy-server-processors =
    more processors for the server, or a dataset larger than its cache, so that more requests reach the
    drive
remedy-processors =
    more or faster processors, or a load that computes less for each byte: larger requests, no compression
verdict-others-waited = its other workers waited for these
verdict-locks =
    workers were off the processor { $off } of the time, but had requests at the device for only {
    $window } of it
remedy-locks = fewer threads, or several datasets at once (`instances`)
verdict-in-repeats = { $evidence } (in { $count } of { $repeats } repeats; { $others })
verdict-limit-in = { $limit } in { $count }
verdict-limits = { $first }, { $other }

## Differences in test conditions (crates/report/src/brief/text)
difference-fact = { $heading }: { $fact }
difference-method = version of the measuring method
plan-difference = { $field } { $first } against { $other }
plan-differences-more = { $count } more
plan-part = { $name } { $value }
plan-tool = measured with
plan-window = window
plan-warm-up = warm-up
plan-threads = threads
plan-queue-depth = queue depth
plan-instances = instances
plan-block-size = block size
plan-load = load
plan-engine = engine
plan-workload = workload
plan-meters = meters
plan-closed-loop = closed loop
plan-share-of-maximum = { $share } of the maximum
difference-drive-count = Number of drives
difference-drives = { $count ->
        [one] 1 drive
       *[other] { $count } drives
    }
server-by-number = drive { $drive }, server { $server }
setup-none = none
setup-bytes = { $bytes } bytes
setup-bytes-per-block = { $bytes } bytes a block
difference-preparation = Preparation
difference-temperature = Temperature at the start, { $step }
difference-recorded-load = Recorded load, { $step }
difference-vector-search = Results of vector search, { $step }
difference-own-runs = Measured in separate runs
difference-one-after-other = Measured one subject after the other
difference-unequally = changes over time did not affect them equally
difference-nothing-done = nothing
done = { $action }
done-as-asked = { $action } { $asked }
value-of = { $value } ({ $subjects })
values-and = { $first }, { $other }
on-this-host = On this host, { $summary }

## Axes of steps (crates/report/src/terms)

## Figures (crates/report/src/chart)
figure-nothing-measured = nothing was measured here
figure-seconds = seconds
figure-round = round
figure-share-no-longer = share of operations up to this latency
figure-convergence = Convergence to steady state
figure-convergence-in-rounds =
    { $metric } in rounds of { $round }; last rounds with their fit and mean ± { $band }
figure-drive-of = { $subject }, drive { $drive }
hover-missed-its-rate = { $point }, missed its rate
hover-interval = { $value } (95 %: { $low } to { $high })
hover-not-limited = { $bar }: not limited by the drive
caption-of-step = { $step }: { $caption }
sign-marked = { $mark } not limited by the drive
sign-outlined = outline: not limited by the drive
sign-hollow = hollow: the target rate was missed by more than 2 %
sign-ringed = ringed: the maximum, a closed loop, whose latency is a service time
figure-queue-depth = queue depth
figure-service-time = { $figure } { $class } service time
figure-response-time = { $figure } { $class } response time
figure-service-time-by-percentile = { $class } service time by percentile{ $at }
figure-response-time-by-percentile = { $class } response time by percentile{ $at }
figure-against-throughput = { $what } against throughput, by { $axis }
figure-overload = {"; "}overload beyond the axis is omitted: { $points }
figure-without-maximum = {"; "}the maximum, a closed loop, has no place on this axis
figure-at = {" "}at { $axis } { $value }
figure-throughput = throughput
figure-ops-over-time = ops/s over time{ $at }
figure-of-each-drive = { $figure } of each drive{ $at }
figure-outliers = Outliers{ $at } over the window’s time, by cause ({ $count })
figure-slowest-outliers = The slowest outliers{ $at } over the window’s time, by cause ({ $count } of { $all })
figure-drive = drive { $number }
figure-of-instances = p99 of all instances pooled, and the mean of their own p99s{ $at }
figure-pooled = pooled
figure-mean-of-instances = mean of the instances' p99s
figure-by-neighbour = latency by stream{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = Headline figure of each step
figures-megabytes = MB/s across workloads, each at its maximum, on one scale
figures-part = { $caption } ({ $number } of { $count })
verdict-near-ceiling = { $share } of the generator's ceiling for this load
remedy-near-ceiling = more threads if processors are free, larger requests, or a faster host
verdict-ceiling = generator's ceiling { $ops } ops/s
figure-claimed = {"; "}claimed: { $differences }
claimed-against = { $value } vs { $other }
figure-a-minute = { $class }s per minute

section-durable = Cost of durability
durable-how =
    The same writes made durable in different ways, over the number of writers. FUA (force unit access) and the flush of
    fdatasync complete when the data are on non-volatile media, or in a cache that survives a loss of power. The share is
    that of the ops/s of the same writes that are not made durable. A drive whose share stays near 100 % acknowledges a
    durable write from a cache that it reports as non-volatile: power-loss protection, if the drive reports it truthfully,
    which a power cut can test and this cannot. What reached the device is the kernel's count. If it is nothing, the kernel
    sends neither flushes nor FUA (queue/write_cache is "write through"), and no durability was asked for.
durable-not = not durable
durable-fdatasync = write + fdatasync
durable-commit = commit
durable-share = of not durable
durable-requests = reached the device, per op
durable-not-tested = nothing: not tested
durable-by-flush = { $flushes } flushes
durable-by-fua = 1 FUA, { $flushes } flushes
durable-commits = Commits synced to the log by a database's engine
durable-figure =
    { $step }, compared with the same writes made durable in other ways and not durable: ops/s,
    logarithmic

# Load from several hosts
section-hosts = Load from several hosts at once
hosts-how =
    The points of these bundles started at the same absolute time on each host's clock, and each
    clock was compared with the same reference before and after the run (NTP, RFC 5905 section 8:
    the offset is to be added to the host's clock, and the true value lies within half the shortest
    round trip of it). The common window is the overlap of all hosts' windows as a share of the
    longest, by the reference, less the uncertainty of the clocks. If it is 99 % or more, ops/s and
    MB/s are sums and latencies are those of all hosts' merged histograms; otherwise there is no
    sum.
hosts-unchecked = No sums: the clock of { $host } was not checked both before and after its run.
hosts-clock =
    No sums: the clock of { $host } was { $offset } from the reference, and the limit is { $limit }. Have all hosts
    follow one time server, and measure again.
hosts-missing = No sum of { $step }, repeat { $repeat }: { $host } did not measure it completely.
hosts-apart =
    No sum of { $step }, repeat { $repeat }: the hosts' windows share { $share } of the longest.
column-host = host
column-offset-before = clock offset before
column-offset-after = clock offset after
column-offset-limit = limit
column-reference = reference
column-common-window = common window

# Database servers
section-database-servers = Database servers, one by one
database-servers-how =
    Transactions are those of all repeats. The rate of each server is the mean of its repeats, so
    that the servers' rates add up to the total. The pooled p99 is that of all transactions
    together, of the servers' merged histograms; next to it is the mean of the servers' own p99s, as
    printed in reviews of several virtual machines. The coefficient of variation is the standard
    deviation of the servers' rates over their mean. Processors and memory limit are as the kernel
    reports them; the limit includes the page cache.
column-servers = servers
column-server = server
column-processors = processors
column-memory-limit = memory limit
column-transactions = transactions
column-transactions-per-s = transactions/s
column-transactions-per-s-sum = transactions/s, sum
column-variation = coefficient of variation
all-servers = all servers
server-of-drive = { $drive }, server { $server }
shared-processors = { $processors } (shared)
verdict-load-set = { $count ->
        [one] { $busy } of the load workers' own processor was busy
       *[other] { $busy } of the load workers' own { $count } processors were busy
    }
verdict-servers-set = { $count ->
        [one] { $busy } of the database servers' own processor was busy
       *[other] { $busy } of the database servers' own { $count } processors were busy
    }
remedy-load-set = more processors for the load: `cpus` of its streams, or fewer for the servers

## The fleet
section-fleet = Fleet
fleet-unknown-model = unknown model
fleet-drives = { $count ->
        [one] 1 drive
       *[other] { $count } drives
    }
fleet-figure = { $metric } of each drive, by model and firmware; hollow: deviates from its model
fleet-figure-by-host =
    { $metric } of each drive, by model and firmware, a line for each host; hollow: deviates from its
    model
fleet-ordered =
    { $metric } of the drives of { $model } with the range of their repeats; { $drive } is farthest
    from the mean
fleet-in-order = drives, in ascending order
fleet-how =
    A drive is a subject, or a drive of a group; a model's level is the geometric mean over its
    drives, a drive's that over its repeats. Scatter is a standard deviation of logarithms, by
    one-way random effects: of drives beyond their repeats, of hosts beyond their drives. A drive
    deviates if its mean differs from the others' by more than chance allows at 5 % for all drives
    of the step together. Intervals of models treat drives as a random effect and hold for all
    models of a step together.
fleet-better = drive for drive, { $better } is { $by } better than { $worse }, { $drives }
fleet-open = drive for drive, { $first } and { $other } are not distinguishable: { $by }, { $drives }
fleet-better-here =
    host by host, { $better } is { $by } better than { $worse }, { $drives } on the same { $hosts }
    hosts; of these drives only
fleet-open-here =
    host by host, { $first } and { $other } are not distinguishable: { $by }, { $drives } on the same
    { $hosts } hosts
fleet-confounded =
    { $first } and { $other } are not compared: they were measured on different hosts ({ $hosts } and
    { $others }), whose differences cannot be told apart from theirs
fleet-apart =
    { $drive } deviates from the other { $others } drives of { $model }: { $value } against { $usual }
fleet-apart-health = { $sentence } (its health log: { $log })
fleet-more-apart = { $count ->
        [one] 1 more drive of { $model } deviates
       *[other] { $count } more drives of { $model } deviate
    }
fleet-barred = Models are not compared, because these differ: { $what }
fleet-lead = { $drives } of { $models ->
        [one] one model
       *[other] { $models } models
    }, { $apart ->
        [0] none of which deviates from the others of its model
        [one] one of which deviates from the others of its model
       *[other] { $apart } of which deviate from the others of their model
    }.
fleet-runs = { $count ->
        [one] 1 bundle, started from { $first } to { $last }
       *[other] { $count } bundles, started from { $first } to { $last }
    }
fleet-not-shown = { $drives } drives in total; no model has enough of them for a sample.
column-model = model
column-firmware = firmware
column-hosts = hosts
column-apart = deviating
column-scatter = scatter of { $of }

## Names that bundles store: classes of op, what power is of, kinds of meters, facts
op-all = all
op-read = read
op-write = write
op-write-fua = write-fua
op-write-fdatasync = write-fdatasync
op-flush = flush
op-trim = trim
op-write-zeroes = write-zeroes
op-check = check
op-seek = seek
op-search = search
op-prefix = prefix
op-update = update
op-insert = insert
op-scan = scan
op-read-modify-write = read-modify-write
op-transaction = transaction
op-new-order = new-order
op-payment = payment
op-order-status = order-status
op-delivery = delivery
op-deferred-delivery = deferred-delivery
op-stock-level = stock-level
op-operation = operation
op-read-or-write = read-or-write
op-event = event
op-delete = delete
op-merge = merge
op-sample = sample
op-evaluated-sample = evaluated-sample

power-class-drive = drive
power-class-slot = slot
power-class-system = system
power-class-cpu = cpu
power-class-dram = dram

meter-kind-exec = exec
meter-kind-csv = csv
meter-kind-hwmon = hwmon
meter-kind-nvme = nvme
meter-kind-rapl = rapl
meter-kind-redfish = redfish
meter-kind-imported = imported

tracked-iops = iops
tracked-throughput = throughput
tracked-mean = mean
tracked-p99 = p99
tracked-waf = WAF

fact-host = Host
fact-memory = Memory
fact-kernel = Kernel
fact-drive = Drive
fact-version = Version
fact-name = Name
fact-vendor = Vendor
fact-server = Server
fact-board = Board
fact-operating-system = Operating system
fact-virtual-machine = Virtual machine
fact-model = Model
fact-sockets = Sockets
fact-cores-a-socket = Cores per socket
fact-logical-processors = Logical processors
fact-governor = Governor
fact-frequency-driver = Frequency driver
fact-highest-frequency = Highest frequency
fact-mitigations = Mitigations
fact-numa-nodes = NUMA nodes
fact-microcode = Microcode
fact-energy-preference = Energy preference
fact-total = Total
fact-modules = Modules
fact-transparent-huge-pages = Transparent huge pages
fact-swap = Swap
fact-release = Release
fact-build = Build
fact-command-line = Command line
fact-driver-nvme = Driver nvme
fact-driver-nvme-core = Driver nvme_core
fact-serial = Serial
fact-firmware = Firmware
fact-health-log = Health log
fact-capacity = Capacity
fact-device = Device
fact-path = Path
fact-logical-block-size = Logical block size
fact-physical-block-size = Physical block size
fact-metadata = Metadata
fact-filled = Filled
fact-filesystem = Filesystem
fact-filesystem-on = Filesystem on
fact-mount-options = Mount options
fact-link-speed = Link speed
fact-link-width = Link width
fact-highest-link-speed = Highest link speed
fact-highest-link-width = Highest link width
fact-numa-node = NUMA node
fact-scheduler = Scheduler
fact-queue = Queue
fact-volatile-write-cache = Volatile write cache
fact-volatile-write-cache-after = Volatile write cache after
fact-write-cache = Write cache
fact-value-histogram = 1 ns to 1 hour, relative error at most 0.1 % (HdrHistogram, 3 digits)
fact-value-ceiling = { $value } ops/s in this shape, of requests that take no time
fact-value-registered-small =
    registered, in pages of 4 KiB, since no huge page is free (`sysctl vm.nr_hugepages`)
fact-value-steady =
    steady after { $value } rounds by { $fourth }: excursion { $second }, slope { $third }
fact-value-not-steady =
    NOT steady within { $value } rounds by { $fourth }: excursion { $second }, slope { $third }
fact-value-too-few-rounds = NOT steady: too few rounds to judge { $fourth }
fact-value-cache-hits = { $value } of { $second } block look-ups
fact-value-key-and-value = { $value } + { $second } bytes
fact-value-on = on
fact-value-off = off
fact-value-shared = { $value } and { $second }: { $third }
fact-block-cache-hits = Block cache hits
fact-block-cache-in-use = Block cache in use
fact-compaction-read = Compaction read
fact-compaction-written = Compaction written
fact-files-by-level = Files by level
fact-flushed = Flushed
fact-found-in-a-memtable = Found in a memtable
fact-load = Load
fact-sync = Sync
fact-table-files = Table files
fact-write-ahead-log = Write-ahead log
fact-writes-stalled = Writes stalled
fact-key-and-value = Key and value
fact-fell-behind = Fell behind
fact-version--in-full = Version, in full
fact-settings = Settings
fact-options = Options
fact-block-cache = Block cache
fact-clock = Clock
fact-pacing-floor = Pacing floor
fact-file = File
fact-size = Size
fact-data = Data
fact-ring = Ring
fact-buffers = Buffers
fact-polling = Polling
fact-keys = Keys
fact-accelerators = Accelerators
fact-vector-search = Vector search
fact-vectors = Vectors
fact-dimensions = Dimensions
fact-queries = Queries
fact-degree = Degree
fact-search-list-of-the-build = Search list of the build
fact-compressed-vector = Compressed vector
fact-read-of-a-node = Read of a node
fact-index = Index
fact-meters = Meters
fact-imported = Imported
fact-physical-devices = Physical devices
fact-shared-by-subjects = Shared by subjects
fact-processors-of-workers = Processors of workers
fact-verification = Verification
fact-servers = Servers
fact-search = Search
fact-latency-histogram = Latency histogram
fact-idle-driver = Idle driver
fact-clock-source = Clock source
fact-direct-i-o = Direct I/O
fact-overslept = Overslept
fact-trace-not-read-in-time = Trace not read in time
fact-recorded-load = Recorded load
fact-trace = Trace
fact-remapped-trace = Remapped trace
fact-generator-s-ceiling = Generator's ceiling
fact-preparation = Preparation
fact-dataset = Dataset
fact-start-with-other-hosts = Start with other hosts
fact-from = from
fact-missing = missing
fact-length-of-the-window = length of the window

## What a run stores of preparation
action-namespaces = namespaces
action-purge = purge
action-write-cache = write cache
action-filesystem = filesystem
action-fill = fill { $value }
action-condition = condition { $value }
action-steady-state = steady state
outcome-filled = laid out and filled
outcome-opened = opened as it is found
outcome-load = { $value } ops of { $second } in { $third }
outcome-slices = not done: in a directory there are { $value } equal slices
outcome-not-purged = not done: a directory cannot be purged
outcome-not-switched = not done: the drive of a directory is not switched
outcome-has-filesystem = not done: a directory has its filesystem
outcome-filesystem = { $value } made ({ $second }), mounted with { $third }
outcome-write-cache =
    { $value ->
        [on] on
        [off] off
        [none] none
       *[other] { $value }
    } (it was { $second ->
        [on] on
        [off] off
        [none] none
       *[other] { $second }
    }, which the end of the run puts back)
outcome-namespaces = { $value } namespaces of { $second }, { $third } of them attached
outcome-created = created: { $value }
outcome-deleted = deleted, to be created again without their data: { $value }
outcome-discarded = every block discarded (BLKDISCARD)
outcome-formatted = NVMe format, user data erased (--ses=1)
outcome-key-erased = NVMe format, key erased (--ses=2)
outcome-sanitized = NVMe sanitize (--sanact={ $value })

## Built-in protocols: titles, sources, titles of steps
protocol-demo = Demonstration: reads and paced writes
source-of-demo = Dyno
step-of-demo-readrandom = RocksDB random reads
step-of-demo-random-read-4k = 4 KiB random reads
step-of-demo-paced-writes = 4 KiB random writes at a set rate

protocol-quick = A quick look: RocksDB and 4K random I/O
source-of-quick = Dyno, after rocksdb-threads and block-basics
step-of-quick-readrandom = RocksDB random reads
step-of-quick-readwhilewriting = RocksDB random reads while one thread writes
step-of-quick-readrandomwriterandom = RocksDB random reads and writes, 90 to 10
step-of-quick-random-read-4k = 4 KiB random reads
step-of-quick-random-70-30-4k = 4 KiB random, 70 % reads

protocol-block-basics = Block basics: 4K random, 128K sequential and 70/30 over queue depth
source-of-block-basics = Dyno; the 4K random write before random patterns follows StorageReview
step-of-block-basics-random-read-4k = 4 KiB random reads
step-of-block-basics-random-write-4k = 4 KiB random writes
step-of-block-basics-random-70-30-4k = 4 KiB random, 70 % reads
step-of-block-basics-sequential-read-128k = 128 KiB sequential reads
step-of-block-basics-sequential-write-128k = 128 KiB sequential writes

protocol-sync-writes = Durable writes: FUA and flush over the number of writers
source-of-sync-writes = Dyno, after reviewers' 4 KiB write + fsync
step-of-sync-writes-plain-4k = 4 KiB random writes, not made durable
step-of-sync-writes-fua-4k = 4 KiB random writes, durable by FUA
step-of-sync-writes-fdatasync-4k = 4 KiB random writes, each followed by fdatasync
step-of-sync-writes-plain-16k = 16 KiB random writes, not made durable
step-of-sync-writes-fua-16k = 16 KiB random writes, durable by FUA
step-of-sync-writes-fdatasync-16k = 16 KiB random writes, each followed by fdatasync
step-of-sync-writes-rocksdb-sync = RocksDB overwrites, each synced (WriteOptions::sync)

protocol-compression = Whether a drive compresses: equal loads of data that do and do not compress
source-of-compression = Dyno, after the SNIA SSS PTS's rule that data be random unless their pattern is the question
step-of-compression-random-write = 4 KiB random writes
step-of-compression-sequential-write = 128 KiB sequential writes
step-of-compression-mixed = 4 KiB random, 70 % reads

protocol-powercut = Power cuts: durable writes by FUA and by flush
source-of-powercut = Dyno, after Zheng et al., FAST 2013
step-of-powercut-writes = 4 KiB random writes by FUA, and with a flush after every eighth

protocol-mysql-oltp = MySQL OLTP, one and two servers a drive
source-of-mysql-oltp = StorageReview, Sysbench MySQL OLTP; statements as sysbench 1.0.20
step-of-mysql-oltp-one-server = oltp_read_write, one server a drive
step-of-mysql-oltp-two-servers = oltp_read_write, two servers a drive

protocol-tpcc = TPC-C on MariaDB or MySQL
source-of-tpcc = TPC-C 5.11; StorageReview's scale and durations; server settings are Dyno's
step-of-tpcc-check-after-load = Consistency after the load
step-of-tpcc-tpcc = TPC-C { $value } keying and think times
step-of-tpcc-check-after-run = Consistency after the run

protocol-tpcc-postgres = TPC-C on PostgreSQL
source-of-tpcc-postgres = TPC-C 5.11; StorageReview's scale and durations; server settings are Dyno's
step-of-tpcc-postgres-check-after-load = Consistency after the load
step-of-tpcc-postgres-tpcc = TPC-C { $value } keying and think times
step-of-tpcc-postgres-check-after-run = Consistency after the run

protocol-tpcc-sqlserver = TPC-C on SQL Server
source-of-tpcc-sqlserver = TPC-C 5.11; StorageReview's scale and durations; the server's settings are its owner's
step-of-tpcc-sqlserver-check-after-load = Consistency after the load
step-of-tpcc-sqlserver-tpcc = TPC-C { $value } keying and think times
step-of-tpcc-sqlserver-check-after-run = Consistency after the run

protocol-rocksdb-threads = RocksDB: throughput and latency over threads
source-of-rocksdb-threads = Micron 7450, 7500 and 7600 RocksDB briefs; db_bench of RocksDB 8.1.1; gaps filled by Dyno
step-of-rocksdb-threads-readrandom = Random reads
step-of-rocksdb-threads-readwhilewriting = Random reads while one thread writes
step-of-rocksdb-threads-readrandomwriterandom = Random reads and writes, 90 to 10

protocol-ycsb = YCSB core workloads A to F on RocksDB
source-of-ycsb = brianfrankcooper/YCSB, workloads/; Cooper et al., SoCC 2010; gaps filled by Dyno
step-of-ycsb-a = Workload A: update heavy
step-of-ycsb-b = Workload B: read mostly
step-of-ycsb-c = Workload C: read only
step-of-ycsb-d = Workload D: read latest
step-of-ycsb-e = Workload E: short scans
step-of-ycsb-f = Workload F: read-modify-write
protocol-ycsb-mysql = YCSB core workloads A to F on MariaDB or MySQL
source-of-ycsb-mysql = brianfrankcooper/YCSB, workloads/ and jdbc/; Cooper et al., SoCC 2010; server settings are Dyno's
step-of-ycsb-mysql-a = Workload A: update heavy
step-of-ycsb-mysql-b = Workload B: read mostly
step-of-ycsb-mysql-c = Workload C: read only
step-of-ycsb-mysql-d = Workload D: read latest
step-of-ycsb-mysql-e = Workload E: short scans
step-of-ycsb-mysql-f = Workload F: read-modify-write
protocol-ycsb-postgres = YCSB core workloads A to F on PostgreSQL
source-of-ycsb-postgres = brianfrankcooper/YCSB, workloads/ and jdbc/; Cooper et al., SoCC 2010; server settings are Dyno's
step-of-ycsb-postgres-a = Workload A: update heavy
step-of-ycsb-postgres-b = Workload B: read mostly
step-of-ycsb-postgres-c = Workload C: read only
step-of-ycsb-postgres-d = Workload D: read latest
step-of-ycsb-postgres-e = Workload E: short scans
step-of-ycsb-postgres-f = Workload F: read-modify-write
protocol-vdbench-profiles = Block profiles after StorageReview, with VDI mixes of Dyno: latency against load
source-of-vdbench-profiles = StorageReview, Intel P5510 vs Samsung PM9A3; mixes of SQL and Oracle from VdbenchAutomation; the six VDI mixes and both 64K steps are Dyno's
step-of-vdbench-profiles-random-read-4k = 4K random read
step-of-vdbench-profiles-random-write-4k = 4K random write
step-of-vdbench-profiles-mixed-4k = 4K random, 70 % reads
step-of-vdbench-profiles-mixed-8k = 8K random, 70 % reads
step-of-vdbench-profiles-mixed-16k = 16K random, 70 % reads
step-of-vdbench-profiles-sql = SQL
step-of-vdbench-profiles-sql-90-10 = SQL 90-10
step-of-vdbench-profiles-sql-80-20 = SQL 80-20
step-of-vdbench-profiles-oracle = Oracle
step-of-vdbench-profiles-oracle-90-10 = Oracle 90-10
step-of-vdbench-profiles-oracle-80-20 = Oracle 80-20
step-of-vdbench-profiles-vdi-fc-boot = VDI full clone, boot (Dyno's)
step-of-vdbench-profiles-vdi-fc-initial-login = VDI full clone, initial login (Dyno's)
step-of-vdbench-profiles-vdi-fc-monday-login = VDI full clone, Monday login (Dyno's)
step-of-vdbench-profiles-vdi-lc-boot = VDI linked clone, boot (Dyno's)
step-of-vdbench-profiles-vdi-lc-initial-login = VDI linked clone, initial login (Dyno's)
step-of-vdbench-profiles-vdi-lc-monday-login = VDI linked clone, Monday login (Dyno's)
step-of-vdbench-profiles-sequential-read-64k = 64K sequential read
step-of-vdbench-profiles-sequential-write-64k = 64K sequential write

protocol-write-pressure = Write pressure: read latency against the rate of writes
source-of-write-pressure = StorageReview, Intel P5510 vs Samsung PM9A3; sizes, depths and times are Dyno's
step-of-write-pressure-pressure = 4K random reads beside 4K random writes

protocol-write-cost = What a write costs: write amplification until it settles
source-of-write-cost = LMCache pull request 4016 (object sizes, utilisation, volume); 4 KiB and RocksDB steps are Dyno's
step-of-write-cost-objects = Objects of 1 to 32 MiB
step-of-write-cost-uniform = 4 KiB overwrites, uniform
step-of-write-cost-zipfian = 4 KiB overwrites, zipfian
step-of-write-cost-leveled = RocksDB overwrite, leveled compaction
step-of-write-cost-universal = RocksDB overwrite, universal compaction
protocol-placement = Placement: the writes of a flash cache with and without placement handles
source-of-placement = CacheLib on drives with FDP, arXiv 2503.11665 (small and large objects by handles of their own); sizes and rates are Dyno's
step-of-placement-cache = Small objects beside a log of large objects

protocol-noisy-neighbour = Noisy neighbour on six namespaces
source-of-noisy-neighbour = StorageReview, Intel P5510 vs Samsung PM9A3; sizes, rates and times are Dyno's
step-of-noisy-neighbour-alone = Three readers alone
step-of-noisy-neighbour-neighbours = Three readers beside three writers of { $value } each
step-of-noisy-neighbour-loud = Three readers beside three writers without a limit

protocol-act = Aerospike ACT: the multiple of its load that a drive keeps
source-of-act = Aerospike ACT 6.4 (README.md, cfg_storage.c); sizes, workers and depths are Dyno's
step-of-act-certify = In every hour, fewer than 5 % of small reads over 1 ms, 1 % over 8 ms, 0.1 % over 64 ms
step-of-act-stress = Twice the load, kept to the end
protocol-kv-cache = Key-value cache of a language model
source-of-kv-cache = Qin et al., Mooncake, FAST 2025; MLPerf Storage v3.0 rules, 6.3 and 6.4; gaps filled by Dyno
step-of-kv-cache-objects = Blocks at the times of the recording
step-of-kv-cache-limit = Fastest replay within the limit of the time to load a prefix
step-of-kv-cache-files-8b = Files with fdatasync, 16 writers, Llama 3.1 8B
step-of-kv-cache-memory-8b = The same files behind { $value } blocks in memory
step-of-kv-cache-files-70b = Files with fdatasync, 4 writers, Llama 3.1 70B
protocol-vector-search = Vector search with DiskANN at equal recall
source-of-vector-search = Subramanya et al., DiskANN, NeurIPS 2019; microsoft/DiskANN; gaps filled by Dyno
step-of-vector-search-recall = Search lists: recall against queries per second
step-of-vector-search-threads = Threads at a search list of 100
protocol-checkpoint = Checkpoint of Llama 3 8B by eight writers
source-of-checkpoint = MLPerf Storage, llama3_8b.yaml; gaps filled by Dyno
step-of-checkpoint-write = Checkpoints written, each shard with fdatasync
step-of-checkpoint-read = Checkpoints read back
protocol-training-read = Reads of training samples: unet3d, resnet50, retinanet and flux
source-of-training-read = MLPerf Storage v2.0, unet3d_h100.yaml and resnet50_h100.yaml; v3.0, unet3d_b200.yaml, retinanet_b200.yaml and flux_b200.yaml; gaps filled by Dyno
step-of-training-read-unet3d = unet3d on H100: large samples
step-of-training-read-resnet50 = resnet50 on H100: samples of 115 kB
step-of-training-read-unet3d-b200 = unet3d on B200: large samples
step-of-training-read-retinanet = retinanet on B200: samples of 323 kB
step-of-training-read-flux = flux on B200: samples of 2.2 MB
protocol-trace-replay = Replay of a recorded load
source-of-trace-replay = Dyno; the trace is generated (docs/trace.md)
step-of-trace-replay-replay = A recorded load at its own times
step-of-trace-replay-asap = A recorded load as fast as possible

protocol-snia-iops = SNIA PTS IOPS: seven mixes, eight sizes
source-of-snia-iops = SNIA SSS PTS 2.0.2, as quoted by py-sss-pts
step-of-snia-iops-mix-100-0 = Random, 100 % reads
step-of-snia-iops-mix-95-5 = Random, 95 % reads
step-of-snia-iops-mix-65-35 = Random, 65 % reads
step-of-snia-iops-mix-50-50 = Random, 50 % reads
step-of-snia-iops-mix-35-65 = Random, 35 % reads
step-of-snia-iops-mix-5-95 = Random, 5 % reads
step-of-snia-iops-mix-0-100 = Random, 0 % reads

protocol-snia-throughput = SNIA PTS throughput: sequential, 1024K and 128K
source-of-snia-throughput = SNIA SSS PTS 2.0, as in SSS-PTS-TEST
step-of-snia-throughput-sequential-read = Sequential read
step-of-snia-throughput-sequential-write = Sequential write

protocol-snia-latency = SNIA PTS latency: one request at a time
source-of-snia-latency = SNIA SSS PTS 2.0, as in SSS-PTS-TEST
step-of-snia-latency-mix-100-0 = Random, 100 % reads, one at a time
step-of-snia-latency-mix-65-35 = Random, 65 % reads, one at a time
step-of-snia-latency-mix-0-100 = Random, 0 % reads, one at a time

protocol-snia-wsat = SNIA PTS write saturation: 4K random writes for six hours
source-of-snia-wsat = SNIA SSS PTS 2.0, as in SSS-PTS-TEST
step-of-snia-wsat-saturation = 4K random writes from fresh out of the box
step-of-snia-wsat-histogram = 4K random writes, saturated

protocol-selftest = Self-test: an engine of known latency
source-of-selftest = Dyno
step-of-selftest-known = Reads that take 50 µs

protocol-ceiling = The generator's ceiling in each shape of load
source-of-ceiling = Dyno
step-of-ceiling-one = Closed loop, one thread
step-of-ceiling-many = Closed loop, many in flight
step-of-ceiling-open = Open loop, one thread

## What the source of imported figures does not give, and what only the run shows
not-given-loop = closed or open loop
not-given-window = length of the measured window
not-given-warmup = warm-up
not-given-timing = whether latencies are service or response times
not-given-order = order of measurement
not-given-repeats = number of repeats and their scatter
not-given-preparation = preconditioning
not-given-host = host
not-given-drives = drive firmware
not-given = not given in the source: { $what }
date-not-given = date not given in the source
imported-run = { $when }, imported into dyno { $version }
imported-header = { $file } · { $when } · imported into dyno { $version }
conditions-not-given =
    Not given in the source, so that differences between the subjects are unknown: { $what }.
percentiles-of = percentiles are { $class } latencies
figure-latency = { $figure } { $class } latency
figure-latency-by-percentile = { $class } latency by percentile{ $at }
imported-figures = Imported figures
method-imported =
    Figures are those of the source, as it defines them. Derived figures (ops/s per watt: ops/s ÷ W;
    J/op: W ÷ ops/s) have as many significant digits as the least precise input; percentages are
    truncated, never rounded up.
energy-how-imported =
    Power is the source's figure for each point, for the item in the third column. The instrument
    and its readings are not given in the source, nor is energy over a window.
data-how-imported = Figures as in the source. “–” means not given in the source.
caveat-few-figures = { $count ->
        [one] one figure is given in the source, without repeats: its scatter is unknown
       *[other] { $count } figures are given in the source: too few to show their scatter
    }
caveat-every-point-few-figures = { $count ->
        [one] The source gives one figure for each point, without repeats: their scatter is unknown
       *[other] The source gives { $count } figures for each point: too few to show their scatter
    }
difference-device = Shared device
difference-one-device = the plan permits a shared device
difference-steady = Steady state before the points
difference-was-steady = steady
difference-was-not-steady = not steady
difference-excursion = not steady: excursion { $excursion }
difference-not-until-steady = not prepared until steady
difference-repeats = Missing repeats
difference-drift = Points that drifted
difference-bottleneck = Points not limited by the drive
difference-share = { $count } of { $all }

# Imported figures on the first page
published-lead = As published, without repeats: { $sentence }
published-lead-of-step = As published, without repeats, in { $step }: { $sentence }
published-completes = { $better } completes { $own }{ $at }, { $by } more than { $worse } ({ $other })
published-more = { $better } reaches { $own }{ $at }, { $by } more than { $worse } ({ $other })
published-lower = { $better } has a { $what } of { $own }{ $at }, { $by } lower than { $worse } ({ $other })
published-rival-more = { $by } more than { $worse } ({ $other })
published-rival-lower = { $by } lower than { $worse } ({ $other })
published-no-difference = As published, without repeats: the source gives equal figures for all subjects.
published-not-compared =
    Nothing was compared: no two subjects have figures of the same load.
published-more-measures = { $count ->
        [one] 1 more measure is in the summary.
       *[other] { $count } more measures are in the summary.
    }
between-clauses = {"; "}
named-value = { $name }: { $value }
figure-published = {"; "}as published: { $differences }
column-value = value
column-in-unit = { $name }, { $unit }
unit-of-panel = {" "}({ $unit })
column-of-class = { $figure } ({ $class })

# Losses, and what could not be compared
more-losses = { $count ->
        [one] 1 more claim is in favour of a rival of { $subject }; “All claims” has it.
       *[other] { $count } more claims are in favour of rivals of { $subject }; “All claims” has them.
    }
not-compared-here = { $subject } is not compared here.
no-rank-nothing-measured = No drive can be ranked here, because nothing was measured.
no-rank-never-together =
    No drive can be ranked here, because no two subjects were measured at the same point: give them the
    same sweep.
cause-and-remedy = { $cause }: { $remedy }
cause-failed = { $subjects } failed ({ $why })
remedy-failed = correct the cause and measure again
cause-not-steady = { $subjects } had not reached steady state ({ $why })
remedy-not-steady = run longer preconditioning
cause-no-flush = The kernel sends neither flushes nor FUA to { $subjects }, whose volatile write cache is on: durable writes were not
remedy-no-flush = write “write back” to /sys/block/DEVICE/queue/write_cache, or set `prepare.write_cache`
cause-drifted = The ops/s of { $subjects } drifted by up to { $change } over the window
remedy-drifted = run longer preconditioning, or a longer warm-up
cause-missed-rate = At worst, { $subjects } achieved { $share } of the target rate
remedy-missed-rate = use a lower rate, or give the load more threads or queue depth
cause-stream-missed-rate =
    Stream { $stream }, which ran beside the reads of { $subjects }, achieved at worst { $share } of its
    target rate
cause-late = At worst, { $share } of the requests to { $subjects } were submitted late
remedy-late-requests = use more workers, or processors that nothing else uses
cause-few-repeats-all = Every point was measured fewer than three times
cause-few-repeats = { $count } of { $points } points were measured fewer than three times
remedy-few-repeats = repeat them (`--repeats 5`) before comparing
unsteady-excursion = excursion { $excursion }, at most { $allowed } is allowed
unsteady-slope = slope { $slope }, at most { $allowed } is allowed
unsteady-too-few = { $rounds ->
        [one] only 1 round was measured
       *[other] only { $rounds } rounds were measured
    }
## What published comparisons say of a step
course =
    { $subject } goes from { $from } ops/s{ $first_at } (mean { $mean }, p99 { $p99 }) to a peak of
    { $to } ops/s{ $at } (mean { $mean_there }, p99 { $p99_there })
course-of-mean =
    { $subject } goes from { $from } ops/s{ $first_at } (mean { $mean }) to a peak of { $to } ops/s{ $at }
    (mean { $there })
course-of-p99 =
    { $subject } goes from { $from } ops/s{ $first_at } (p99 { $p99 }) to a peak of { $to } ops/s{ $at }
    (p99 { $there })
beyond-threads = Thread counts above { $most } were not tested: the ops/s of { $subjects } still rise there
beyond-depth = Queue depths above { $most } were not tested: the ops/s of { $subjects } still rise there
beyond-instances =
    More than { $most } instances were not tested: the ops/s of { $subjects } still rise there
saturated-threads =
    From { $from } threads on the processors were saturated ({ $subjects }): a faster drive would not
    show there
saturated-from =
    From { $from } ({ $axis }) on the processors were saturated ({ $subjects }): a faster drive would
    not show there
saturated-at =
    The processors were saturated{ $at } ({ $subjects }): a faster drive would not show there
lower-by =
    The { $what } of { $better } is { $difference } lower than that of { $worse }{ $at } ({ $own } against
    { $other })
difference-at-size = { $difference } at { $size }
grows-with-size =
    The lead of { $better } over { $worse } in { $what } grows with the block size: { $differences }
shrinks-with-size =
    The lead of { $better } over { $worse } in { $what } shrinks with the block size: { $differences }
moves-from-to = { $figure } from { $low } to { $high }
drive-course = Drive { $drive } of { $subject }: { $moves } between { $from } and { $to }
drive-level = Drive { $drive } of { $subject }: { $figures }
stream-levels = { $stream } of { $subject }{ $at }: { $figures }
total-writes =
    { $subject }: { $writes } DWPD × { $count ->
        [one] 1 year
       *[other] { $years } years
    } × 365 days × { $capacity } = { $total } in total

## Where imported figures are from, and what their source does not give
note-in = note in { $file }
imported-from = Imported from { $tool }
fact-measured-by = measured by
fact-others--not-by-dyno = others, not by Dyno
fact-what-their-source-does-not-give-is-unknown = what their source does not give is unknown
fact-latencies-but-for-the-figures-given = latencies but for the figures given
fact-intervals = intervals
fact-when-the-points-were-measured = when the points were measured
fact-readings-of-meters = readings of meters
fact-latencies-finer-than-db-bench-s-buckets--which-are-half-as-wide-as-they-are-long =
    latencies finer than db_bench's buckets, which are half as wide as they are long
fact-the-writer-of-readwhilewriting--which-db-bench-leaves-out =
    the writer of readwhilewriting, which db_bench leaves out
fact-all-percentiles-but-the-one-that---percentile-named--which-is-right-to-1-8-- =
    all percentiles but the one that --percentile named, which is right to 1.8 %
fact-when-the-run-began = when the run began
fact-all-percentiles--vdbench-gives-means-and-maxima =
    all percentiles: vdbench gives means and maxima
fact-the-length-of-the-window = the length of the window
fact-waiting-before-an-op-was-begun--all-latencies-are-service-times =
    waiting before an op was begun: all latencies are service times
fact-the-mix-of-transactions-beside-tpm = the mix of transactions beside TPM
fact-when-an-op-was-due--all-latencies-are-service-times = when an op was due: all latencies are service times
fact-the-number-of-threads--which-db-bench-does-not-print = the number of threads, which db_bench does not print
fact-latencies-by-class-in-fileio--those-that-sysbench-prints-are-of-all-its-events =
    latencies by class in fileio: those that sysbench prints are of all its events
fact-the-name-of-the-test--where-it-is-not-fileio-or-cpu = the name of the test, where it is not fileio or cpu
fact-latencies--unless-the-run-has-a-time-profile = latencies, unless the run has a time profile
fact-latencies-by-kind-of-transaction = latencies by kind of transaction
fact-whether-latencies-are-service-or-response-times = whether latencies are service or response times
fact-latencies--unless-diskspd-was-run-with--l = latencies, unless DiskSpd was run with -L
fact-percentiles = percentiles
fact-the-options-of-the-load = the options of the load
fact-threads-and-depth = threads and depth
fact-what-other-logs-of-the-same-run-have = what other logs of the same run have
fact-threads-and-warehouses--which-go-tpc-does-not-print = threads and warehouses, which go-tpc does not print
fact-percentiles-over-the-whole-run--iob-prints-those-of-each-interval =
    percentiles over the whole run: iob prints those of each interval
fact-readings-of-meters--but-for-the-drive-s-own-counters = readings of meters, but for the drive's own counters
fact-latencies = latencies
fact-the-model-and-its-settings--which-are-in-other-files-of-the-run =
    the model and its settings, which are in other files of the run
fact-percentiles--which-pgbench-does-not-print = percentiles, which pgbench does not print
fact-percentiles-but-those-that-it-printed = percentiles but those that it printed
fact-settings-of-the-workload-s-file--unless-go-ycsb-printed-them =
    settings of the workload's file, unless go-ycsb printed them
fact-fio-version = fio version
fact-sysbench-version = sysbench version

## What a write costs
layer-application = application
layer-wal = write-ahead log
layer-flush = flush
layer-compaction = compaction
layer-pages = pages
layer-doublewrite = doublewrite buffer
layer-filesystem = filesystem and rest
layer-host = host
layer-media = media
column-host-by-kernel = host, by the kernel
column-host-by-drive = host, by the drive
column-counted-seconds = counted, s
figure-waterfall = write amplification by layer{ $at }
figure-waterfall-unit-host = bytes for each byte that the host wrote
figure-waterfall-unit = bytes for each byte of the application
figure-waf-over-time = write amplification over time{ $at }
column-engine-wrote = engine
column-of-capacity = capacity written
column-counted-by = counters
column-written-mb = MB/s written
column-load-dwpd = DWPD at this load
column-rated-dwpd = rated DWPD
column-rated-writes = rated writes
column-years = years at this load
column-joules-per-tb = J/TB
column-price-per-iops = price per 1,000 ops/s
column-price-per-tb-written = price per TB of rated writes
counter-fdp = FDP statistics
counter-ocp = OCP log and health log
counter-instrument = instrument
counter-vendor = vendor's log
counter-group = endurance group's log
times = { $factor } ×
not-measured = not measured
not-measured-because = { $place }: write amplification not measured: { $why }
waf-not-read = the drive's counters were not read before the load and after it
waf-no-media-count = no log of the drive that Dyno knows counts what it writes to its media
waf-not-on-every-drive = only some of the subject's drives have a log that counts what they write to their media
waf-fell = a counter fell during the load
waf-stood-still = one counter stood still while the other one counted
waf-no-capacity = the capacity of the drive is not known; state it in [drive.NAME]
waf-too-little = the load wrote { $fills } × the capacity; the minimum is { $least } ×
waf-too-coarse = the counters' units, updates and readings leave ±{ $open } open
write-cost-how =
    Counters are compared from the beginning of the window to the end of the cool-down, both of a drive over the
    same interval; the seconds counted are those of the load in it. Write amplification is printed if the load,
    warm-up included, wrote at least { $fills } × the capacity and the units, updates and readings of the counters
    leave at most ±{ $coarsest } open; its interval includes these. Values marked * come from data sheets or price
    lists and are not measured.
formulas = Formulas
formula-waf = WAF = increase of bytes written to the media ÷ increase of bytes received from the host
formula-waterfall =
    Filesystem and rest = bytes that the kernel handed to the devices − bytes that the engine wrote to files
    (or the application, if the engine does not count). A negative value shows data that
    remained in memory, or a log that was deleted before the kernel wrote it back.
formula-dwpd = DWPD at this load = bytes written to one drive per second × 86,400 s ÷ capacity
formula-years =
    Years at this load = rated writes ÷ (bytes written to one drive per second × 86,400 s × 365). Rated writes
    = rated DWPD × capacity × 365 × years of warranty, or the total that the maker states. The load is assumed
    to run without pause.
formula-joules-per-tb = J/TB = mean power ÷ bytes read and written by the load per second × 10¹²
formula-price =
    Price per 1,000 ops/s = price of the drives ÷ ops/s × 1,000. Price per TB of rated writes = price of one
    drive ÷ rated writes in TB.
data-sheet-of = { $subject }: data sheet values from { $source }

## Key-value caches
kv-cache-how =
    A prefix is loaded when the last of its cached blocks is read; its time counts from the request to the
    model, and includes waiting for the drive. Blocks that are not cached are written. The hit rate is that of
    the measured window. Energy is that of the first power meter.
    Prefixes are read up to their first missing block, behind which all blocks are computed again. A prefix is
    worth loading if that takes less time than recomputing it at the model's rate.
kv-cache-smaller =
    Blocks smaller than the model's: { $steps }. Tokens are those whose keys and values the bytes of these
    blocks hold, and no statement about the model.
kv-cache-caches = Caches and recordings
kv-cache-prefix-mean = prefix, mean
kv-cache-prefix-p95 = prefix, p95
kv-cache-prefix-p99 = prefix, p99
kv-cache-prefix-tokens = tokens of a prefix, mean
kv-cache-recomputed = recomputed in
kv-cache-block-p95 = block read, p95
kv-cache-write-p95 = write, p95
kv-cache-hit-rate = hit rate
kv-cache-tokens = cached tokens/s
kv-cache-read-mb = reads, MB/s
kv-cache-joules = energy per million cached tokens
kv-cache-model = language model
kv-cache-eviction = eviction
kv-cache-touch = accessed first
kv-cache-spread = spread of times
kv-cache-block = block
kv-cache-block-tokens = tokens per block
kv-cache-blocks = capacity, blocks
kv-cache-requests = requests
kv-cache-hits = hits
kv-cache-behind = behind a missing block
kv-cache-misses = misses
kv-cache-evictions = evictions
kv-cache-memory = in memory, blocks
kv-cache-memory-hits = found in memory

## Reads of training samples
training-how =
    The utilisation of an accelerator (AU) is its computation time divided by the whole time. MLPerf Storage
    requires 90 % of unet3d and resnet50; rows with less are marked. An accelerator that waits for samples
    shows the drive, the host or the number of readers: the bottlenecks say which.
training-kept = { $subject } keeps { $count } accelerators at a utilisation of 90 % or more: { $step }.
training-none-kept = { $subject } keeps no tested number of accelerators at a utilisation of 90 %: { $step }.
training-accelerators = accelerators
training-utilisation = utilisation (AU)
training-interval = 95 % interval
training-samples = samples/s
training-read-mb = MB/s

## Vector search
vector-search-how =
    Each query asks for its 10 nearest vectors. Recall is the share of the true neighbours, found by comparing
    every query with every vector, that are among the results. Recall and I/Os per query are means over all
    queries of the dataset, so they are the same for all subjects; subjects whose results differ are not
    compared. An I/O is one read of a node of the graph.
vector-search-list = search list
vector-search-recall = recall@10
vector-search-ios = I/Os per query
vector-search-io-size = size of an I/O
vector-search-qps = queries/s
vector-search-mean = mean
vector-search-p99 = p99

## Replay of recorded loads
figure-response-over-time = Arrivals of the trace and mean response time over its time
figure-response-over-time-bursts =
    Arrivals of the trace and mean response time over its time; shaded: bursts, with more than half as many
    arrivals again as the median
figure-arrivals-a-second = arrivals/s
figure-mean-response = mean response time, { $unit }
column-arrivals = arrivals
replay-how =
    Each request is due at its recorded time. Response times count from that time; a request that is
    submitted more than 100 µs after it is late; a request that is due and not submitted is backlog.
replay-response-median = response time, median
replay-response-p99 = response time, p99
replay-requests = Requests of the trace and requests replayed
replay-requests-of-trace = requests of the trace
replay-reads-of-trace = reads, trace
replay-reads = reads, replayed
replay-size-of-trace = mean size, trace
replay-size = mean size, replayed
replay-remapped = Remapped offsets
replay-remapped-how =
    The trace addresses more than the range under test has. The reuse distance is the amount of other data
    accessed between two accesses to the same 4 KiB: the size of the cache that would hold it.
replay-model = The recorded load and its model
replay-model-how =
    The model is a step of streams that dyno trace model fitted to the trace. Variance ÷ mean is that of the ops
    of each second: 1 if they arrive at random at one rate, more if they come in bursts.
replay-most-a-second = most ops in a second
replay-idc = variance ÷ mean, 1 s
replay-response-p999 = response time, p99.9
figure-trace-and-model = Ops/s of the recorded load and of its model over time
replay-remap = method
replay-addressed = addressed by the trace
replay-used = used
replay-reuse-median = reuse distance, median
replay-reuse-p90 = reuse distance, p90
replay-before-after = { $before } before, { $after } after

## dyno bench
bench-interval = 95 % interval
bench-mean = mean
bench-cpu = CPU: { $busy } of { $count } processors busy, { $own } by this load.
bench-cpu-per-op =
    CPU: { $busy } of { $count } processors busy, { $own } by this load: { $per } per op.
bench-few-repeats = { $count ->
        [one] No intervals, because each point was measured once: add `--repeats 3`.
       *[other] No intervals, because each point was measured { $count } times: add `--repeats 3`.
    }
bench-few-samples =
    Without { $figures }: a percentile needs 100 ops above it. Measure longer (`--runtime`).
bench-more = { $count ->
        [one] And 1 more: keep the bundle (`-o FILE`), and see `dyno compare FILE`.
       *[other] And { $count } more: keep the bundle (`-o FILE`), and see `dyno compare FILE`.
    }
