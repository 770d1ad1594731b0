import { firstSecond } from './samples.ts';

/** A query, asked at one time or at many (seconds). */
export interface Asked {
  readonly query: string;
  readonly time?: number;
  readonly start?: number;
  readonly end?: number;
  readonly step?: number;
}

const list = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const selectors = list(`
up
up{job="node"}
up{job!="node"}
up{job=~"no.*"}
up{job!~"no.*"}
up{job=~"node|gap"}
up{job=~"od"}
up{instance=~"n[12]",job="node"}
up{nosuch=""}
up{nosuch!=""}
up{nosuch="x"}
up{nosuch=~".*"}
{__name__="up"}
{__name__=~"up|once"}
{__name__=~".*_info"}
{__name__!~"http.*|cpu.*|latency.*|temp.*",job="node"}
{job="odd",kind=~"n.n|up"}
job:requests:rate5m
labelled{path="/a/b c"}
labelled{note="say \\"hi\\" \\\\ \\u00fc"}
labelled{note=''}
labelled{note=~"say.*"}
odd
odd{kind="nan"}
once
once offset 10m
once offset -10m
up offset 1h30m
up @ 1700003000
up @ 1700003000.5 offset 1m
up offset 1m @ 1700003000
up @ start()
up @ end() offset 30s
sparse
sparse offset 5m
flapping
flapping offset 14m
http_requests_total{code=~"2..|4..",method="GET"}
nothing_at_all
-up
+up
-odd
(up)
`);

const overTime = list(`
avg_over_time(RANGE)
min_over_time(RANGE)
max_over_time(RANGE)
sum_over_time(RANGE)
count_over_time(RANGE)
last_over_time(RANGE)
present_over_time(RANGE)
stddev_over_time(RANGE)
stdvar_over_time(RANGE)
quantile_over_time(0.3, RANGE)
changes(RANGE)
resets(RANGE)
deriv(RANGE)
predict_linear(RANGE, 600)
delta(RANGE)
idelta(RANGE)
holt_winters(RANGE, 0.3, 0.6)
absent_over_time(RANGE)
rate(RANGE)
irate(RANGE)
increase(RANGE)
`);

const ranges = [
  'temperature_celsius[10m]',
  'odd[5m]',
  'flapping[3m]',
  'sparse[20m]',
  'http_requests_total{code="404"}[7m] offset 3m',
];

const aggregations = list(`
sum(up)
sum by (job) (up)
sum(http_requests_total) by (code, method)
sum without (instance) (http_requests_total)
sum without (instance, job, code, method) (http_requests_total)
sum by () (up)
sum by (nosuch) (up)
sum by (__name__) ({__name__=~"up|once"})
avg(temperature_celsius)
avg by (sensor) (temperature_celsius)
avg(odd)
avg by (kind) (odd)
min(temperature_celsius) by (sensor)
max without (sensor) (temperature_celsius)
max(odd)
min(odd)
min(odd{kind="nan"})
count(up) by (job)
count(nothing_at_all)
group by (job) (up)
stddev(temperature_celsius)
stdvar by (sensor) (temperature_celsius)
stddev(odd{kind=~"zero|steps"})
stddev(odd{kind="up"})
topk(2, temperature_celsius)
topk(1, http_requests_total) by (code)
topk by (instance) (2, http_requests_total)
topk(0, up)
topk(-1, up)
topk(100, memory_bytes)
topk(1.9, memory_bytes)
topk(3, odd)
bottomk(3, odd)
bottomk(2, temperature_celsius)
bottomk without (sensor) (1, temperature_celsius)
topk(NaN, up)
topk(1e30, up)
quantile(0.5, temperature_celsius)
quantile by (sensor) (0.9, temperature_celsius)
quantile(-1, up)
quantile(2, up)
quantile(NaN, up)
quantile(0.25, odd)
quantile(scalar(once), up)
count_values("value", up)
count_values by (job) ("value", up)
count_values without (instance) ("v", build_info)
count_values("kind", odd)
count_values("bad name", up)
sum(sum by (job) (up))
sum(rate(http_requests_total[5m])) by (instance)
sum by (instance) (rate(cpu_seconds_total{mode!="idle"}[2m])) / sum by (instance) (rate(cpu_seconds_total[2m]))
100 - avg by (instance) (rate(cpu_seconds_total{mode="idle"}[5m])) * 100
topk(2, sum by (code) (increase(http_requests_total[30m])))
count(count by (instance) (cpu_seconds_total))
max by (job, instance) (up) == 1
`);

const operators = list(`
1 + 2 * 3 ^ 2 ^ 0.5 - 4 / 3 % 2
-2 ^ 2
2 ^ -1
-2 ^ -2 * 3
1 == bool 1
1 > bool 2
NaN == bool NaN
0x1F + 010 + 1e3 + .5
Inf - Inf
1 / 0
-1 / 0
0 / 0
5 % 3
-5 % 3
5.5 % -2
1 atan2 2
1 ^ NaN
-1 ^ Inf
up + 1
1 - up
up * 2 - up
up / 0
odd % 2
2 ^ odd
odd ^ 0
odd atan2 1
up > 0
up == 0
0 < up
1 == bool up
up >= bool 1
up != 1
up <= bool up
odd == odd
odd != odd
odd > bool 1
temperature_celsius > 10 < 20
memory_bytes > 2e9
temperature_celsius + temperature_celsius
temperature_celsius - on (instance, sensor) temperature_celsius
http_requests_total{code="500"} / ignoring (code) http_requests_total{code="200"}
http_requests_total{code="500"} / on (instance, method) http_requests_total{code="200"}
http_requests_total{code="500"} / http_requests_total{code="200"}
http_requests_total / ignoring (code) group_left sum without (code) (http_requests_total)
sum without (code) (http_requests_total) / ignoring (code) group_right http_requests_total
http_requests_total * on (instance) group_left (job) sum by (instance) (http_requests_total)
up * on (instance) group_left (version, branch) build_info
build_info * on (instance, job) group_right (version) up
memory_bytes * on (instance) group_left (version) build_info
up + on (instance) up
up{job="node"} + on () up{job="gap"}
up + on () group_left up{job="gap"}
up + on (job) up
up + ignoring (instance) up
http_requests_total > on (instance) http_requests_total
http_requests_total == bool on (instance, method, code) http_requests_total
http_requests_total == on (instance, method, code) http_requests_total
http_requests_total == ignoring (code) group_left http_requests_total{code="200"}
http_requests_total > bool ignoring (code) group_left http_requests_total{code="404"}
up and up{job="node"}
up and on (job) build_info
up and ignoring (version, branch) build_info
up and on () (once)
up or once
up{job="node"} or up
up or on (job) temperature_celsius
up or ignoring (sensor) temperature_celsius
up unless up{job="node"}
up unless on (job) build_info
temperature_celsius unless ignoring (sensor) up
up == 0 or up == 1
(up == 1) and on (instance) (memory_bytes > 1e9)
vector(1) + on () up{job="gap"}
scalar(once) + up
time() - timestamp(up)
vector(1) == 1
vector(0) unless vector(1)
up and vector(1)
-(up > 0)
+up == 1
1 > 2 > 3
up bool + 1
up and 1
1 and 2
up + on (job) group_left (job) up
up + up offset 5m * up
up or sparse @ 1700005000 ^ sparse @ 1700005000
-up offset 5m
-temperature_celsius @ 1700005000 ^ 2
up * on (instance) memory_bytes offset 2m
up > 1 and on (instance group_left up
`);

const functions = list(`
abs(temperature_celsius)
abs(-odd)
ceil(temperature_celsius)
floor(-temperature_celsius)
round(temperature_celsius)
round(temperature_celsius, 5)
round(temperature_celsius, 0.25)
round(odd, 0.3)
exp(up)
exp(odd)
ln(temperature_celsius)
ln(odd)
log2(memory_bytes)
log10(odd)
sqrt(temperature_celsius)
sgn(temperature_celsius)
sgn(odd)
sin(temperature_celsius)
cos(odd)
tan(up)
asin(up)
acos(up)
atan(temperature_celsius)
sinh(up)
cosh(up)
tanh(temperature_celsius)
asinh(temperature_celsius)
acosh(memory_bytes)
atanh(up)
deg(up)
rad(temperature_celsius)
pi()
pi() * up
clamp(temperature_celsius, -5, 10)
clamp(temperature_celsius, 10, -5)
clamp(odd, 0, 2)
clamp_min(temperature_celsius, 0)
clamp_max(odd, 1)
clamp_max(temperature_celsius, NaN)
clamp_min(odd, scalar(once offset 5m))
time()
vector(time())
vector(NaN)
scalar(up)
scalar(once)
scalar(nothing_at_all)
absent(up)
absent(nothing_at_all)
absent(nothing_at_all{job="x", instance=~"y", code!="z"})
absent((nothing_at_all{job="x"} offset 90s))
absent(nothing_at_all{job="x", job="y", instance="z"})
absent(sum(nothing_at_all{job="x"}))
absent(once{instance="one"})
absent_over_time(once{instance="one"}[5m])
absent_over_time(nothing_at_all{job="x"}[5m])
absent_over_time(sum(nothing_at_all)[5m:1m])
sort(temperature_celsius)
sort_desc(temperature_celsius)
sort(odd)
sort_desc(odd)
timestamp(up)
timestamp(once)
timestamp(up @ 1700003333)
timestamp(up + 0)
timestamp((up))
timestamp(temperature_celsius offset 3m)
hour()
minute()
month()
year()
day_of_month()
day_of_week()
day_of_year()
days_in_month()
hour(vector(1704067199))
day_of_year(vector(1709251199))
day_of_year(vector(1735603200))
days_in_month(vector(1707523200))
days_in_month(timestamp(up))
day_of_week(vector(-1))
year(vector(-86401))
minute(vector(1.9))
minute(up * 100000)
label_replace(up, "host", "$1", "instance", "n(.*)")
label_replace(up, "host", "x$1y\${1}z", "instance", "n(.*)")
label_replace(up, "host", "$first-$$-$2", "instance", "(?P<first>.)(.*)")
label_replace(up, "job", "", "job", "node")
label_replace(up, "instance", "", "instance", ".*")
label_replace(up, "instance", "same", "instance", ".*")
label_replace(up, "host", "none", "nosuch", "")
label_replace(up, "host", "$1", "instance", "n")
label_replace(up, "__name__", "down", "job", "node")
label_replace(up, "bad-name", "x", "job", ".*")
label_replace(up, "x", "$1", "job", "(")
label_replace(rate(http_requests_total[5m]), "m", "$1_$2", "method", "(.)(.*)")
label_join(up, "both", "/", "job", "instance")
label_join(up, "both", "", "job")
label_join(up, "both", "-", "nosuch", "job")
label_join(up, "job", ",")
label_join(up, "instance", "", "job")
label_join(up, "bad-name", "", "job")
label_join(up, "x", "", "bad-name")
histogram_quantile(0.9, latency_seconds_bucket)
histogram_quantile(0.5, rate(latency_seconds_bucket[5m]))
histogram_quantile(0.99, sum by (le) (rate(latency_seconds_bucket[10m])))
histogram_quantile(0.01, sum by (le, instance) (latency_seconds_bucket))
histogram_quantile(0, latency_seconds_bucket)
histogram_quantile(1, latency_seconds_bucket)
histogram_quantile(-1, latency_seconds_bucket)
histogram_quantile(1.1, latency_seconds_bucket)
histogram_quantile(NaN, latency_seconds_bucket)
histogram_quantile(0.5, uneven_bucket)
histogram_quantile(0.45, uneven_bucket)
histogram_quantile(0.5, endless_bucket)
histogram_quantile(0.5, up)
rate(latency_seconds_sum[5m]) / rate(latency_seconds_count[5m])
sum(rate(latency_seconds_bucket{le="0.25"}[5m])) / sum(rate(latency_seconds_count[5m]))
rate(http_requests_total[5m] @ end())
rate(http_requests_total[20s])
rate(http_requests_total[15s])
rate(fast[30s])
increase(http_requests_total{code="404"}[1h])
irate(fast[10s])
holt_winters(fast[1m], 0, 0.5)
holt_winters(fast[1m], 0.5, 1)
quantile_over_time(2, fast[1m])
quantile_over_time(scalar(up), fast[1m])
label_replace(up, "host", "$1é-$1-é$1", "instance", "n(.)")
`);

const subqueries = list(`
max_over_time(rate(http_requests_total[2m])[10m:1m])
avg_over_time(up[10m:30s])
sum_over_time(sum(up)[5m:])
min_over_time(temperature_celsius[10m:13s] offset 2m)
max_over_time((up * 2)[5m:1m] @ 1700005000)
rate(sum(http_requests_total)[5m:30s])
last_over_time(once[1h:1m])
count_over_time(once[1h:7s])
absent_over_time(once[10m:1m])
stddev_over_time((temperature_celsius > 0)[15m:1m])
max_over_time(min_over_time(up[2m:20s])[10m:1m])
quantile_over_time(0.5, vector(time())[10m:1m])
sum_over_time(up[5m:1m] offset -3m)
sum_over_time((up @ end())[5m:1m])
deriv(avg(temperature_celsius)[10m:25s])
changes(up[20m:10s])
`);

const faulty = list(`
up{
up[5m
up[5m]
up[5m:1m]
sum(
sum()
sum(up, up)
rate(up)
rate(up[5m], 1)
rate()
nosuch(up)
up +
up offset
up offset 5m offset 1m
(up + 1) offset 5m
sum(up) offset 5m
up @ 
up @ up
{}
{job=~".*"}
{job=""}
up{job=~"("}
up{job="a" instance="b"}
up{job=a}
up{__name__="down"}
"a text"
1 2
up up
up[0s]
up[-5m]
(up)[5m]
rate((up)[5m])
time(1)
clamp(up, 1)
label_replace(up, "a", "b")
label_join(up, "a")
round(up, 1, 2)
hour(1)
sum by job (up)
topk(up)
topk(up, 1)
count_values(1, up)
-"a"
"a" + 1
up[5m] + 1
1 > 2
sum(up[5m])
abs(1)
vector(up)
scalar(1)
histogram_quantile(up, 1)
sum_over_time(1[5m:1m])
!up
up == == up
foo bar baz
sum_over_time(up + up[5m:1m])
sum_over_time(-up[5m:1m])
rate(up + up[5m])
`);

/** All of them: most at one time and at many. */
export function allQueries(): Asked[] {
  const [early, middle, late] = [firstSecond + 410, firstSecond + 2207, firstSecond + 5550];
  const range = { start: firstSecond - 200, end: firstSecond + 5700, step: 1180 };
  const dense = { start: firstSecond + 885, end: firstSecond + 1185, step: 75 };
  const asked: Asked[] = [];
  const spread = [...selectors, ...aggregations, ...operators, ...functions];
  spread.forEach((query, i) => {
    const time = [middle, late, early][i % 3]!;
    if (i % 2 === 0 || query.startsWith('sort')) asked.push({ query, time });
    if (i % 2 === 1) asked.push({ query, ...(i % 4 === 1 ? range : dense) });
  });
  for (const of of overTime) {
    ranges.forEach((given, i) => {
      const query = of.replace('RANGE', given);
      asked.push(i % 2 === 0 ? { query, ...range } : { query, time: middle });
    });
  }
  for (const query of subqueries) asked.push({ query, time: middle }, { query, ...dense });
  for (const query of faulty) asked.push({ query, time: middle });
  asked.push({ query: 'up', start: 10, end: 5, step: 1 }, { query: 'up', start: 0, end: 11_001, step: 1 });
  asked.push({ query: 'up', start: 0, end: 10, step: 0 });
  // Of a step whole milliseconds count.
  asked.push({ query: 'time()', start: firstSecond, end: firstSecond + 40, step: 36 / 7 });
  asked.push({ query: 'time()', start: firstSecond, end: firstSecond + 40, step: 1.025 });
  return asked;
}
