import { Kind } from '../../../../src/domain/parameter-data.ts';
import type {
  Aggregation,
  Direction,
  Interpolation,
  ParameterDataQuery,
  TagOperator,
} from '../../../../src/domain/query.ts';
import type { TagColumn } from '../../../../src/domain/result.ts';
import { tagSetOfKey, tagValue } from '../../../../src/domain/tags.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import type { RowsRequest } from '../../../../src/store/answers/answer.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { DataRequest } from '../../../query/reference.ts';
import { type ReadRow, rowsOfBlock } from '../read-rows.ts';
import type { Cell } from '../rows.ts';

/** A row of an answer, raw or aggregated; binaries as base64. */
export interface AnsweredRow {
  readonly timestamp: bigint;
  /** The values of `groupBy`. */
  readonly tags: readonly (string | undefined)[];
  readonly cells: readonly (number | string | null)[];
}

/** Asks a store what `answerOf` is asked, block by block. */
export async function* ask(
  store: Pick<Store, 'run' | 'aggregate'>,
  workspace: string,
  request: DataRequest,
): AsyncGenerator<AnsweredRow[]> {
  const plan = planQuery(workspace, queryOf(request));
  const { signal } = new AbortController();
  const groupBy = request.groupBy ?? [];
  if (!isAggregate(plan)) {
    for await (const block of store.run(plan, signal))
      yield rowsOfBlock(block).map((row) => rawRow(row, groupBy));
    return;
  }
  for await (const block of store.aggregate(plan, signal)) {
    const streams = [{ topic: '', streamId: '' }];
    const tagSets = [tagSetOfKey('[]')];
    const rows = rowsOfBlock({ ...block, streamIndex: undefined, streams, tagIndex: undefined, tagSets });
    yield rows.map(({ timestamp, cells }, row) => ({
      timestamp,
      tags: block.tags.map((column) => textOf(column, row)),
      cells: cells.map(plain),
    }));
  }
}

/** The same as the service asks for it, in JSON. */
export function answerRequest(workspace: string, request: DataRequest): RowsRequest {
  return {
    kind: 'rows',
    plans: [planQuery(workspace, queryOf(request))],
    groupBy: request.groupBy ?? [],
    form: 'json',
    int64AsString: true,
    maxBytes: 1e9,
  };
}

export async function askAll(...of: Parameters<typeof ask>): Promise<AnsweredRow[]> {
  const rows: AnsweredRow[] = [];
  for await (const block of ask(...of)) rows.push(...block);
  return rows;
}

function queryOf(request: DataRequest): ParameterDataQuery {
  const kinds = [
    [Kind.Numeric, request.numericParameters],
    [Kind.String, request.stringParameters],
    [Kind.Binary, request.binaryParameters],
  ] as const;
  const { from, to, streamIds, topic, tagFilters, groupBy, groupByTime, limit, order } = request;
  return {
    parameters: kinds.flatMap(([kind, list]) =>
      (list ?? []).map(({ parameterName, aggregationType }) => ({
        kind,
        name: parameterName,
        aggregation: aggregationType as Aggregation,
      })),
    ),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(streamIds !== undefined && { streamIds }),
    ...(topic !== undefined && { topic }),
    ...(tagFilters && {
      tagFilters: tagFilters.map(({ tag, operator, value }) => ({
        tag,
        operator: operator as TagOperator,
        values: [value].flat() as (string | number)[],
      })),
    }),
    ...(groupBy !== undefined && { groupBy }),
    ...(groupByTime && {
      groupByTime: {
        width: groupByTime.timeBucketDuration,
        interpolation: groupByTime.interpolationType as Interpolation,
      },
    }),
    ...(limit !== undefined && { limit }),
    order: order as Direction,
  };
}

function rawRow(
  { timestamp, topic, streamId, tags, cells }: ReadRow,
  groupBy: readonly string[],
): AnsweredRow {
  const set = tagSetOfKey(tags);
  const tagOf = (name: string) => {
    if (name === 'streamId') return streamId;
    return name === 'topic' ? topic : tagValue(set, name);
  };
  return { timestamp, tags: groupBy.map(tagOf), cells: cells.map(plain) };
}

function plain(cell: Cell): number | string | null {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : cell;
}

function textOf({ texts, index }: TagColumn, row: number): string | undefined {
  return texts[index?.[row] ?? 0];
}
