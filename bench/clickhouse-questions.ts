import { readNative } from '../src/store/clickhouse/read/native-answer.ts';
import type { RecordedStatement, Recorder } from './clickhouse-recorder.ts';
import { type Connection, openConnection } from './driver.ts';
import type { QueryData } from './query-data.ts';
import type { QueryKind } from './query-kinds.ts';
import { compareSeries } from './query-series.ts';
import { seededRandom } from './random.ts';

/** A question for a node, and what the node asks ClickHouse for it. */
export interface RecordedQuestion {
  readonly request: Buffer;
  readonly statements: readonly RecordedStatement[];
  /** Throws on a wrong answer of a node. */
  check(answer: Buffer): void;
  /** Throws on wrong answers of ClickHouse, one a statement. */
  checkDirect(answers: readonly Buffer[]): Promise<void>;
}

/** Different questions of a kind, at the most; they are asked in turn. */
const poolSize = 16;

/** Draws questions of a kind and asks each twice: the first time a node may have more to find out. */
export async function recordKind(
  kind: QueryKind,
  data: QueryData,
  recorder: Recorder,
  node: Connection,
): Promise<RecordedQuestion[]> {
  const random = seededRandom(11);
  const pool = new Map<string, RecordedQuestion>();
  for (let i = 0; i < poolSize; i++) {
    const question = kind.ask(data, random);
    const key = question.pitwall.toString('latin1');
    if (pool.has(key)) continue;
    const series = question.expected();
    // Times and values in turn.
    const values = sorted([...series.values()].flatMap((points) => points.filter((_, at) => at % 2 === 1)));
    const statements = await record(question.pitwall, recorder, node);
    pool.set(key, {
      request: question.pitwall,
      statements,
      check: (answer) => compareSeries(question.ofPitwall(answer), series, 'Pitwall', kind.title),
      checkDirect: async (answers) => {
        // What a node makes of windows that it takes as they stand, only its answer tells; here there are some at least.
        if (statements.some(({ text }) => text.includes('pieces.version'))) {
          if (answers.some((answer) => answer.length > 0)) return;
          throw new Error(`ClickHouse: ${kind.title}: no windows`);
        }
        compareValues(await valuesOf(answers, statements), values, kind.title);
      },
    });
  }
  return [...pool.values()];
}

/** What a node asks ClickHouse for a request. */
export async function record(
  request: Buffer,
  recorder: Recorder,
  node: Connection,
): Promise<RecordedStatement[]> {
  await node.send(request);
  const statements = await recorder.during(() => node.send(request));
  if (statements.length === 0) throw new Error('the node asked nothing');
  return statements;
}

export interface Asker {
  ask(question: RecordedQuestion): Promise<readonly Buffer[]>;
  check(question: RecordedQuestion, answers: readonly Buffer[]): Promise<void>;
  close(): void;
}

export async function askNode(port: number): Promise<Asker> {
  const connection = await openConnection(port);
  return {
    ask: async ({ request }) => [await connection.send(request)],
    check: async (question, [answer]) => question.check(answer!),
    close: connection.close,
  };
}

/** Asks ClickHouse what a node would ask it, one statement after another. */
export async function askDirectly(port: number): Promise<Asker> {
  const connection = await openConnection(port);
  return {
    async ask({ statements }) {
      const answers: Buffer[] = [];
      for (const statement of statements) answers.push(await connection.send(statement.request()));
      return answers;
    },
    check: (question, answers) => question.checkDirect(answers),
    close: connection.close,
  };
}

/** The values in answers of rows, in order of size: a mean is a sum and a count. */
async function valuesOf(
  answers: readonly Buffer[],
  statements: readonly RecordedStatement[],
): Promise<Float64Array> {
  const values: number[] = [];
  for (const [i, answer] of answers.entries()) {
    const { text } = statements[i]!;
    if (!text.endsWith('FORMAT Native')) continue;
    const isMean = text.includes('m_sum');
    for await (const { rows, columns } of readNative(once(answer))) {
      const [first, second] = columns.filter(({ type }) => type === 'doubles');
      for (let row = 0; row < rows; row++) {
        const value = first!.values as Float64Array;
        values.push(isMean ? (second!.values as Float64Array)[row]! / value[row]! : value[row]!);
      }
    }
  }
  return sorted(values);
}

async function* once(answer: Buffer): AsyncGenerator<Buffer> {
  yield answer;
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function compareValues(found: Float64Array, expected: Float64Array, question: string): void {
  const fail = (what: string): Error => new Error(`ClickHouse: ${question}: ${what}`);
  if (expected.length === 0) throw fail('expects nothing');
  if (found.length !== expected.length) throw fail(`${found.length} values, not ${expected.length}`);
  expected.forEach((wanted, i) => {
    if (Math.abs(found[i]! - wanted) > 1e-11 * Math.abs(wanted))
      throw fail(`${found[i]} where ${wanted} should be`);
  });
}
