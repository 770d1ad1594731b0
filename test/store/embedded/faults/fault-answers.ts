import { createHash } from 'node:crypto';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation } from '../../../../src/domain/query.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { type AggregatePlan, planQuery } from '../../../../src/query/plan/plan.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { readRows } from '../read-rows.ts';
import { faultTime, openFaultStore, workspaces } from './fault-folder.ts';

/** What a store says: digests of its answers by question, or why it gives none. */
export interface Said {
  /** Why the store did not start; one line. */
  readonly refusal?: string;
  /** The problems of `/readyz` when all was asked. */
  readonly problems: readonly string[];
  /** What the log says of bytes that were cut: a write was interrupted there, or the disk damaged the last one. */
  readonly cuts: readonly string[];
  readonly answers: Readonly<Record<string, string>>;
  /** Questions that were answered with an error, and its text. */
  readonly errors: Readonly<Record<string, string>>;
}

const parameters: readonly ParameterKey[] = [
  { kind: Kind.Numeric, name: 'speed' },
  { kind: Kind.String, name: 'gear' },
  { kind: Kind.Numeric, name: 'noise' },
];
const aggregations: readonly Aggregation[] = ['Count', 'Sum', 'Min', 'Max', 'First', 'Last'];

/** Opens a folder and asks everything. */
export async function whatIsSaid(dataDir: string): Promise<Said> {
  let store: EmbeddedStore;
  const cuts: string[] = [];
  const warn = (_fields: object, message: string) => {
    if (message.startsWith('cut ')) cuts.push(message);
  };
  try {
    store = await openFaultStore(dataDir, { log: { info() {}, warn, error() {} } });
  } catch (error) {
    return { refusal: (error as Error).message, problems: [], cuts, answers: {}, errors: {} };
  }
  const answers: Record<string, string> = {};
  const errors: Record<string, string> = {};
  try {
    for (const [question, ask] of questions(store)) {
      try {
        answers[question] = digest(await ask());
      } catch (error) {
        errors[question] = (error as Error).message;
      }
    }
    return { problems: store.health().problems, cuts, answers, errors };
  } finally {
    await store.close();
  }
}

function* questions(store: EmbeddedStore): Generator<[string, () => unknown]> {
  const { catalog } = store;
  yield ['workspaces', () => catalog.workspaces().sort((a, b) => (a.name < b.name ? -1 : 1))];
  yield ['tokens', () => catalog.tokens().sort((a, b) => (a.id < b.id ? -1 : 1))];
  for (const workspace of workspaces) {
    const selection = {
      workspace,
      streamIds: undefined,
      topic: undefined,
      from: minTimestamp,
      to: maxTimestamp,
      tagFilters: [],
    };
    const { signal } = new AbortController();
    yield [`${workspace}: topics`, () => catalog.topics(workspace)];
    yield [`${workspace}: streams`, () => catalog.streams(workspace, {}, faultTime)];
    yield [`${workspace}: parameters`, () => catalog.parameters(workspace, {})];
    yield [`${workspace}: models`, () => catalog.streamModels(workspace, {}, faultTime)];
    for (const streamId of ['a', 's3', 'late'])
      yield [`${workspace}: ${streamId}`, () => catalog.describe(workspace, 'cars', streamId, faultTime)];
    yield [`${workspace}: tags`, () => store.tagValues(selection, 'lap', signal)];
    const plan = { ...selection, order: 'Asc', limit: undefined, after: undefined } as const;
    yield [`${workspace}: rows`, () => readRows(store, { ...plan, parameters })];
    for (const aggregation of aggregations)
      yield [`${workspace}: ${aggregation}`, () => aggregated(store, workspace, aggregation)];
  }
}

async function aggregated(
  store: EmbeddedStore,
  workspace: string,
  aggregation: Aggregation,
): Promise<unknown> {
  const wanted = parameters.filter(({ kind }) => kind === Kind.Numeric || aggregation === 'Count');
  const plan = planQuery(workspace, {
    parameters: wanted.map((parameter) => ({ ...parameter, aggregation })),
    groupBy: ['streamId'],
  });
  const blocks: unknown[] = [];
  for await (const block of store.aggregate(plan as AggregatePlan, new AbortController().signal))
    blocks.push(structuredClone({ ...block }));
  return blocks;
}

function digest(answer: unknown): string {
  const text = JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256')
    .update(text ?? 'nothing')
    .digest('hex');
}
