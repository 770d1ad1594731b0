import type { Spark } from './spark.ts';
import { sparkPath } from './spark-path.ts';

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
