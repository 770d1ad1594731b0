import { type CalculatedDefinition, mergeDefinition } from '../domain/definition.ts';
import { PitwallError } from '../errors.ts';
import { bodyOf, definitionOf } from '../expression/definition.ts';
import { looksAhead } from '../expression/look-ahead.ts';
import { isFlaw, parseExpression } from '../expression/parse.ts';
import type { Expression } from '../expression/syntax.ts';
import { cannotUnfold, unfold } from '../expression/unfold.ts';
import { requireWorkspace } from '../store/require-workspace.ts';
import type { Batch, CatalogWriter } from '../store/store.ts';
import { neverAborted } from '../turns/pace.ts';
import type { Steps } from '../turns/steps.ts';
import { fault } from '../wire/base/fault.ts';
import { checkName, excerpt } from '../wire/base/name.ts';
import { decodeInSlices } from '../wire/json/in-slices.ts';
import type { MemoryShare } from '../wire/json/json-memory.ts';
import { decodeCalculatedDefinitions } from '../wire/requests/calculated-definition.ts';
import { oneByOne } from './one-by-one.ts';

/** Calculated parameters that topics keep. */
export interface CalculatedKeeper {
  /** Returns the calculated parameters of a topic, in order of id. */
  list(workspace: string, topic: string): Promise<CalculatedDefinition[]>;
  /**
   * Merges definitions into those of a topic by id, and field by field; the topic does not come into being by it. Throws
   * `bad_expression` for circles and for what becomes too long with its definitions put in place, and `invalid_value`
   * for the id of a written parameter and for too many of a topic.
   */
  put(workspace: string, topic: string, body: Uint8Array, share?: MemoryShare): Promise<void>;
  /** Throws `calculated_not_found` (404). What uses it takes its name for that of a written parameter from then on. */
  remove(workspace: string, topic: string, id: string): Promise<void>;
}

/** The most calculated parameters of a topic, and of a workspace. */
const maxOfTopic = 500;
const maxOfWorkspace = 10_000;

export function createCalculatedKeeper(store: CatalogWriter): CalculatedKeeper {
  const { catalog } = store;
  /** Two changes at a time could make a circle together. */
  const changes = oneByOne();

  async function change(workspace: string, make: () => Promise<Batch['changes']>): Promise<void> {
    const leave = await changes.enter(neverAborted);
    try {
      await catalog.refresh();
      const made = await make();
      requireWorkspace(catalog, workspace);
      if (made.length > 0) await store.append({ workspace, changes: made });
    } finally {
      leave();
    }
  }

  function definitionsOf(workspace: string, topic: string): CalculatedDefinition[] {
    return catalog
      .documents(workspace, 'calculated', topic)
      .map(definitionOf)
      .filter((one) => one !== undefined)
      .map(({ definition }) => definition);
  }

  /** Of those that are new, the first one. */
  async function refuseWritten(
    workspace: string,
    topic: string,
    given: readonly CalculatedDefinition[],
    before: ReadonlyMap<string, CalculatedDefinition>,
  ): Promise<void> {
    const ids = given.map(({ id }) => id).filter((id) => !before.has(id));
    if (ids.length === 0) return;
    const filter = {
      topic,
      parameterIds: ids,
      includeTypes: ['Numeric'] as const,
      paging: { index: 0, length: 1 },
    };
    const [written] = await catalog.parameters(workspace, filter);
    if (written === undefined) return;
    throw fault(
      'invalid_value',
      `[${given.findIndex(({ id }) => id === written.id)}].id`,
      `is ${excerpt(written.id)}, which streams of the topic have written; choose another id`,
    );
  }

  return {
    async list(workspace, topic) {
      checkName(topic, 'topic');
      await catalog.refresh();
      return definitionsOf(workspace, topic);
    },

    async put(workspace, topic, body, share) {
      checkName(topic, 'topic');
      const given = decodeCalculatedDefinitions(body, share);
      await change(workspace, async () => {
        const before = new Map(definitionsOf(workspace, topic).map((one) => [one.id, one]));
        const merged = new Map(before);
        for (const one of given) merged.set(one.id, mergeDefinition(merged.get(one.id), one));
        const added = given.map(({ id }) => id).filter((id) => !before.has(id));
        checkCounts(merged.size, catalog.documents(workspace, 'calculated').length + added.length);
        await decodeInSlices(checkExpressions(merged, given));
        await refuseWritten(workspace, topic, given, before);
        return given
          .map(({ id }) => merged.get(id)!)
          .filter((one) => before.get(one.id) === undefined || bodyOf(before.get(one.id)!) !== bodyOf(one))
          .map((one) => ({ type: 'keep', kind: 'calculated', topic, id: one.id, body: bodyOf(one) }));
      });
    },

    async remove(workspace, topic, id) {
      checkName(topic, 'topic');
      await change(workspace, async () => {
        if (catalog.document(workspace, 'calculated', topic, id) === undefined)
          throw new PitwallError('calculated_not_found', {
            detail: `topic ${excerpt(topic)} keeps no calculated parameter ${excerpt(id)}`,
          });
        return [{ type: 'forget', kind: 'calculated', topic, id }];
      });
    },
  };
}

function checkCounts(ofTopic: number, ofWorkspace: number): void {
  const tooMany = (of: string, count: number, most: number) =>
    fault('invalid_value', '', `makes ${count} calculated parameters of the ${of}, and ${most} are allowed`);
  if (ofTopic > maxOfTopic) throw tooMany('topic', ofTopic, maxOfTopic);
  if (ofWorkspace > maxOfWorkspace) throw tooMany('workspace', ofWorkspace, maxOfWorkspace);
}

/** Each has to stand with all that it uses put in place, also those that were there before and use what is given. */
function* checkExpressions(
  all: ReadonlyMap<string, CalculatedDefinition>,
  given: readonly CalculatedDefinition[],
): Steps<void> {
  const parsed = new Map<string, Expression>();
  for (const { id, expression } of all.values()) {
    const one = parseExpression(expression);
    if (!isFlaw(one)) parsed.set(id, one);
    yield;
  }
  const places = new Map(given.map(({ id }, place) => [id, place]));
  for (const [id, place] of places) {
    const one = parsed.get(id);
    if (one === undefined || !looksAhead(one.root)) continue;
    const message =
      'has smooth: what a topic keeps is calculated live, too, where the rows behind are not there yet; ask for it in the query';
    throw fault('not_supported', `[${place}].expression`, message);
  }
  for (const id of [...places.keys(), ...all.keys()]) {
    const expression = parsed.get(id);
    // With its own name in place a circle through it shows from it.
    const unfolded = expression && unfold(expression, (name) => parsed.get(name), id);
    yield;
    if (unfolded === undefined || !cannotUnfold(unfolded)) continue;
    const place = places.get(id);
    if (place !== undefined) throw fault('bad_expression', `[${place}].expression`, unfolded.message);
    throw fault(
      'bad_expression',
      '',
      `makes ${excerpt(id)} wrong, which is kept already: it ${unfolded.message}`,
    );
  }
}
