import { liveEvent, type Source } from './live-event.ts';
import type { LiveContent } from './live-package.ts';
import { definitionList, eventData, type Place, parameterData } from './models.ts';
import { packageModel } from './package-text.ts';
import type { Subscriber } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';

type ContentOf<Type> = Extract<LiveContent, { readonly type: Type }>;

/** A package on its way to all who subscribed to it or to something in it. */
export interface Publication {
  readonly tree: SubscriptionTree;
  readonly place: Place;
  readonly content: LiveContent;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly source: Source;
}

/** Delivers a package. It stops after every delivery, and may go on in a later turn of the event loop. */
export function* publishContent(publication: Publication): Generator<void, void, void> {
  const { tree, place, content, time, source } = publication;
  switch (content.type) {
    case 'parameterData':
      yield* publishRows(publication, content);
      break;
    case 'eventData':
      yield* publishEvents(publication, content);
      break;
    case 'parameterDefinitions':
    case 'eventDefinitions':
      yield* publishDefinitions(publication, content);
      break;
    case 'stream':
    case 'close':
      break;
  }
  const event = liveEvent('PackageReceived', () => [packageModel(place, content, time)], source);
  yield* deliver(event, tree.matches('packages', place.topic));
}

function* deliver(
  event: ReturnType<typeof liveEvent>,
  found: Iterable<Subscriber>,
): Generator<void, void, void> {
  for (const subscriber of new Set(found)) {
    subscriber.deliver(event);
    yield;
  }
}

/** One event for each set of parameters that someone wants, shared by all who want just that. */
function* publishRows(
  { tree, place, source }: Publication,
  { rows }: ContentOf<'parameterData'>,
): Generator<void, void, void> {
  const names = [...new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  /** By the sets of subscribers in the tree: as few as there are different subscriptions, however many subscribers. */
  const wantedBy = new Map<ReadonlySet<Subscriber>, number[]>();
  for (const [i, name] of names.entries()) {
    for (const subscribers of tree.groups('parameter', place.topic, place.streamId, name)) {
      const indexes = wantedBy.get(subscribers);
      if (indexes === undefined) wantedBy.set(subscribers, [i]);
      else indexes.push(i);
    }
    yield;
  }
  const wanted = new Map<Subscriber, number[][]>();
  for (const [subscribers, indexes] of wantedBy) {
    for (const subscriber of [...subscribers]) {
      const own = wanted.get(subscriber);
      if (own === undefined) wanted.set(subscriber, [indexes]);
      else own.push(indexes);
      yield;
    }
  }
  const events = new Map<string, ReturnType<typeof liveEvent>>();
  const eventOf = (indexes: readonly number[]): ReturnType<typeof liveEvent> => {
    const key = indexes.length === names.length ? 'all' : indexes.join();
    let event = events.get(key);
    if (event === undefined) {
      const chosen = new Set(indexes.map((i) => names[i]!));
      const makeArgs = () => [parameterData(place, rows, (name) => chosen.has(name))];
      event = liveEvent('ParameterDataReceived', makeArgs, source);
      events.set(key, event);
    }
    return event;
  };
  const ofOne = new Map<number[], ReturnType<typeof liveEvent>>();
  for (const [subscriber, lists] of wanted) {
    const only = lists[0]!;
    let event = lists.length === 1 ? ofOne.get(only) : undefined;
    if (event === undefined) {
      event = eventOf(lists.length === 1 ? only : merged(lists));
      if (lists.length === 1) ofOne.set(only, event);
    }
    subscriber.deliver(event);
    yield;
  }
}

function merged(lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

function* publishEvents(
  { tree, place, source }: Publication,
  { events }: ContentOf<'eventData'>,
): Generator<void, void, void> {
  for (const row of events) {
    const event = liveEvent('EventDataReceived', () => [eventData(place, row)], source);
    yield* deliver(event, tree.matches('event', place.topic, place.streamId, row.id));
    yield;
  }
}

function publishDefinitions(
  { tree, place, source }: Publication,
  { type, definitions }: ContentOf<'parameterDefinitions' | 'eventDefinitions'>,
): Generator<void, void, void> {
  const target = type === 'parameterDefinitions' ? 'ParameterDefinitionsUpdated' : 'EventDefinitionsUpdated';
  const event = liveEvent(target, () => [definitionList<unknown>(place, definitions)], source);
  return deliver(event, tree.matches(type, place.topic, place.streamId));
}
