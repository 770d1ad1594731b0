import { firstMs, streamName } from './data.ts';
import { load, openConnection } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { pitwallPost, startPitwall } from './pitwall.ts';
import { untilQuiet } from './query.ts';

const topic = 'laps';
const rows = 2000;
const rowsPerRequest = 200;
const rowsPerLap = 100;
const stepMs = 100;

/** Names of tags of many streams, warm, of all rows and of a range that holds a few laps. */
export async function benchTags(directory: string, scale: number, runs: number): Promise<void> {
  const streams = Math.max(10, Math.round(1000 * scale));
  const system = await startPitwall(directory);
  try {
    for (let row = 0; row < rows; row += rowsPerRequest) {
      const requests = Array.from({ length: streams }, (_, stream) => lapRows(streamName(stream), row));
      await load(system.port, requests, 4);
    }
    await untilQuiet(directory);
    const middleMs = firstMs + (rows / 2) * stepMs;
    const questions = [
      { name: 'all rows', body: { topic } },
      {
        name: '25 s in the middle',
        body: { topic, from: nanoseconds(middleMs), to: nanoseconds(middleMs + 25_000) },
      },
    ];
    const connection = await openConnection(system.port);
    const table = [['/tags', 'streams', 'p50 ms', 'p99 ms', 'wanted']];
    for (const { name, body } of questions) {
      const times = new Float64Array(runs * 20);
      for (let run = -30; run < times.length; run++) {
        const start = performance.now();
        const answer = await connection.send(pitwallPost('/tags', body));
        if (run >= 0) times[run] = performance.now() - start;
        if (!answer.includes('"LapNumber"')) throw new Error(`no tag in ${answer.toString()}`);
      }
      const { p50, p99 } = percentiles(times);
      table.push([name, String(streams), show(p50), show(p99), 'under 20']);
    }
    connection.close();
    printTable(table);
  } finally {
    await system.stop();
  }
}

function lapRows(stream: string, first: number): Buffer {
  const indexes = Array.from({ length: rowsPerRequest }, (_, i) => first + i);
  return pitwallPost(`/topics/${topic}/streams/${stream}/parameters/data`, {
    epoch: nanoseconds(firstMs),
    timestamps: indexes.map((i) => i * stepMs * 1_000_000),
    numericValues: { Speed: indexes.map((i) => i % 300) },
    tagValues: {
      LapNumber: indexes.map((i) => String(Math.floor(i / rowsPerLap))),
      Driver: indexes.map(() => `driver of ${stream}`),
    },
  });
}

/** Of a whole second or a tenth of it: such numbers are exact. */
function nanoseconds(ms: number): number {
  return Number(BigInt(ms) * 1_000_000n);
}
