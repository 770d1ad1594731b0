import { noTags, type TagPair, type TagSet } from '../../../domain/tags.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import { type GroupTable, groupTable } from '../../../query/groups/group-table.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import type { KeyedTexts } from './native-answer.ts';
import type { TopicNames } from './topic-names.ts';

/** The groups of ClickHouse's answers, numbered as the service's own aggregations number them. */
export class AnswerGroups {
  readonly table: GroupTable;
  readonly #groupBy: AggregatePlan['groupBy'];
  readonly #topicNames: TopicNames;

  constructor({ groupBy }: AggregatePlan, memory: QueryMemory, topicNames: TopicNames) {
    this.table = groupTable(groupBy, memory);
    this.#groupBy = groupBy;
    this.#topicNames = topicNames;
  }

  /**
   * Returns the group of a row of a block, by the texts of its columns, which are aligned with `groupBy`. Each combination of
   * texts is looked up once.
   */
  async finder(columns: readonly KeyedTexts[]): Promise<(row: number) => number> {
    const spelt = await Promise.all(
      columns.map(async ({ texts }, i) => (this.#groupBy[i] === 'topic' ? this.#topicNames(texts) : texts)),
    );
    /** Per column the combinations that it ends, by the one of the columns before and its own text: numbers from 0. */
    const combinations = columns.map(() => new Map<number, number>());
    const groupOfCombination: number[] = [];
    return (row) => {
      let combination = 0;
      for (let i = 0; i < columns.length; i++) {
        const { index, texts } = columns[i]!;
        const key = combination * texts.length + index[row]!;
        const found = combinations[i]!.get(key);
        combination = found ?? combinations[i]!.size;
        if (found === undefined) combinations[i]!.set(key, combination);
      }
      const known = groupOfCombination[combination];
      if (known !== undefined) return known;
      const group = this.#groupNamed(columns.map(({ index }, i) => spelt[i]![index[row]!]!));
      groupOfCombination[combination] = group;
      return group;
    };
  }

  #groupNamed(texts: readonly string[]): number {
    const textOf = (tag: string) => texts[this.#groupBy.indexOf(tag)] ?? '';
    this.table.openStream({ streamId: textOf('streamId'), topic: textOf('topic') });
    const pairs = this.#groupBy.flatMap((tag, i): TagPair[] => {
      if (tag === 'streamId' || tag === 'topic' || texts[i] === '') return [];
      return [[tag, JSON.parse(texts[i]!) as string]];
    });
    const set: TagSet = pairs.length === 0 ? noTags : { key: JSON.stringify(pairs), pairs };
    return this.table.groupOf(set);
  }
}
