import { type RecordedQuestion, record } from './clickhouse-questions.ts';
import type { Recorder } from './clickhouse-recorder.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { payloads, streamName } from './data.ts';
import type { Connection } from './driver.ts';
import { pitwallPost, pitwallWrite } from './pitwall.ts';

const pageLength = 50;

/** Makes so many streams of one value each, and records how a node asks for the first of them. */
export async function recordStreamPage(
  server: ClickHouseServer,
  database: string,
  count: number,
  recorder: Recorder,
  node: Connection,
): Promise<RecordedQuestion> {
  // The first comes through the node, which makes the topic.
  const [first] = payloads({
    shape: 'decimals',
    streams: 1,
    payloadsPerStream: 1,
    rowsPerPayload: 1,
    parameters: 1,
  });
  await node.send(pitwallWrite(first!));
  await server.command(
    database,
    `INSERT INTO windows (workspace, topic, stream, parameter, kind, level, window, first, last, count, bytes, version,
       pieces, times, numbers)
     SELECT 'default', 'bench', concat('stream-', leftPad(toString(number + 1), 8, '0')), 'p0', 'numeric',
       10, 1767225600000000000, 1767225600000000000 + number, first, 1, 8,
       toUInt64(toUnixTimestamp64Nano(now64(9))) + 1000000, [('[]', first, first, version, 1)], [first], [toFloat64(number)]
     FROM numbers(${count - 1})`,
  );
  await server.untilMerged(database);
  const request = pitwallPost('/streams', { paging: { index: 0, length: pageLength } });
  const statements = await record(request, recorder, node);
  const expected = Array.from({ length: pageLength }, (_, i) =>
    i === 0 ? streamName(0) : `stream-${String(i).padStart(8, '0')}`,
  ).join();
  return {
    request,
    statements,
    check(answer) {
      const found = (JSON.parse(answer.toString()) as { streamId: string }[]).map(({ streamId }) => streamId);
      if (found.join() !== expected) throw new Error(`/streams: ${found.join()}, not ${expected}`);
    },
    async checkDirect(answers) {
      const text = Buffer.concat(answers).toString('latin1');
      if (!expected.split(',').every((id) => text.includes(id))) {
        throw new Error('ClickHouse: a page of streams: some are not there');
      }
    },
  };
}
