import type { Spark } from './spark.ts';

/** Pixels. */
const width = 44;
const height = 20;

/** A channel over all of the run, from its smallest to its largest value; gaps are left out. */
export function SparkLine({ spark }: { spark: Spark }) {
  return (
    <svg class="spark" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path d={sparkPath(spark, width, height)} />
    </svg>
  );
}

/** A line through the smallest and the largest value of each bucket. */
export function sparkPath({ low, high }: Spark, width: number, height: number): string {
  const finite = [...low, ...high].filter(Number.isFinite);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const scale = most > least ? (height - 3) / (most - least) : 0;
  const y = (value: number) => (scale === 0 ? height / 2 : height - 1.5 - (value - least) * scale).toFixed(1);
  let path = '';
  let isGap = true;
  for (const [i, value] of low.entries()) {
    if (!Number.isFinite(value)) {
      isGap = true;
      continue;
    }
    const x = (((i + 0.5) * width) / low.length).toFixed(1);
    path += `${isGap ? 'M' : 'L'}${x} ${y(value)}L${x} ${y(high[i]!)}`;
    isGap = false;
  }
  return path;
}
