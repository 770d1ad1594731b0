import { rowTaker } from '../../../../src/store/clickhouse/deletes/take-rows.ts';
import { mutableTable, type Topology } from '../../../../src/store/clickhouse/server/schema.ts';
import { copySamples } from '../../../../src/store/clickhouse/windows/window-copy.ts';
import { tidyWindows } from '../../../../src/store/clickhouse/windows/window-tidy.ts';
import { keptLog, withClickHouse } from '../open-store.ts';

const never = new AbortController().signal;

/** What nodes do with windows in the background, now and with all that there is. */
export function keepNow(
  url: string,
  job: 'merge' | 'tidy' | 'copy',
  topology: Topology = {},
): Promise<unknown> {
  return withClickHouse(url, async (clickhouse) => {
    const options = {
      clickhouse,
      topology,
      clock: { reading: () => BigInt(Date.now()) * 1_000_000n },
      takeFrom: rowTaker({ clickhouse, topology }),
      finishRemovals: async () => undefined,
      isHeld: () => false,
      log: keptLog().log,
      // Nothing is on its way.
      settledMs: -1000,
      readMs: 0,
    };
    if (job === 'tidy') return await tidyWindows(options, never);
    if (job === 'copy') return await copySamples({ ...options, sliceValues: 500 }, never);
    for (const table of ['samples', 'windows'] as const)
      await clickhouse.command({ text: `OPTIMIZE TABLE ${mutableTable(topology, table)} FINAL`, params: {} });
    return undefined;
  });
}
