import { rowTaker } from '../../../../src/store/clickhouse/deletes/take-rows.ts';
import { mutableTable, type Topology } from '../../../../src/store/clickhouse/server/schema.ts';
import { tidyWindows } from '../../../../src/store/clickhouse/windows/window-tidy.ts';
import { keptLog, withClickHouse } from '../open-store.ts';

const never = new AbortController().signal;

/** What nodes do with windows in the background, now and with all that there is. */
export function keepNow(url: string, job: 'merge' | 'tidy', topology: Topology = {}): Promise<unknown> {
  return withClickHouse(url, async (clickhouse) => {
    const options = {
      clickhouse,
      topology,
      clock: { reading: () => BigInt(Date.now()) * 1_000_000n },
      takeFrom: rowTaker({ clickhouse, topology }),
      isHeld: () => false,
      log: keptLog().log,
      // Nothing is on its way.
      settledMs: -1000,
    };
    if (job === 'tidy') return await tidyWindows(options, never);
    return await clickhouse.command({
      text: `OPTIMIZE TABLE ${mutableTable(topology, 'windows')} FINAL`,
      params: {},
    });
  });
}
