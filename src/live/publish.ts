import type { Rows } from '../domain/parameter-data.ts';
import type { Steps } from '../turns/steps.ts';
import type { CalculatedFeed } from './calculated-feed.ts';
import { bytesOfEvent, bytesOfRows } from './content-bytes.ts';
import { liveEvent, type Source } from './live-event.ts';
import type { LiveContent } from './live-package.ts';
import { definitionList, eventData, type Place, parameterData } from './models.ts';
import { packageModel } from './package-text.ts';
import type { Subscriber } from './subscription.ts';
import type { Subscribers, SubscriptionTree } from './subscription-tree.ts';

type ContentOf<Type> = Extract<LiveContent, { readonly type: Type }>;

/** A package on its way to all who subscribed to it or to something in it. */
export interface Publication {
  readonly tree: SubscriptionTree;
  readonly place: Place;
  readonly content: LiveContent;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly source: Source;
  readonly calculated: CalculatedFeed;
}

/**
 * Delivers a package. It stops after a few deliveries, and may go on in a later turn of the event loop: to who is subscribed
 * then.
 */
export function* publishContent(publication: Publication): Steps<void> {
  const { tree, place, content, time, source } = publication;
  switch (content.type) {
    case 'parameterData':
      yield* publishRows(publication, content);
      yield* publishCalculated(publication, content);
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
  const event = liveEvent(
    'PackageReceived',
    () => [packageModel(place, content, time)],
    source,
    source.bytes,
    place,
  );
  yield* deliver(event, tree.matches('packages', place.topic));
}

function* deliver(event: ReturnType<typeof liveEvent>, found: Iterable<Subscriber>): Steps<void> {
  let delivered = 0;
  // The subscriptions as they are when it comes to each, not as they were before the first.
  const told = new Set<Subscriber>();
  for (const subscriber of found) {
    if (told.has(subscriber)) continue;
    told.add(subscriber);
    subscriber.deliver(event);
    if (++delivered % fewDeliveries === 0) yield;
  }
  yield;
}

/** Deliveries between two looks at the clock: each takes about a microsecond. */
const fewDeliveries = 16;
/** Names of parameters that are looked up between two looks at the clock. */
const fewNames = 16;
/** Parameters of a package, by their places in it, and who has subscribed to them. */
interface Wish {
  readonly subscribers: Subscribers;
  readonly indexes: number[];
}

/** One event for each set of parameters that someone wants, shared by all who want just that. */
function* publishRows(
  { tree, place, source }: Publication,
  { rows }: ContentOf<'parameterData'>,
): Steps<void> {
  const names = [...new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  /** By the sets of subscribers in the tree: as few as there are different subscriptions, however many subscribers. */
  const wantedBy = new Map<Subscribers, number[]>();
  const subscriptions = tree.parametersOf(place.topic, place.streamId);
  for (const [i, name] of names.entries()) {
    for (const subscribers of subscriptions.groups(name)) {
      const indexes = wantedBy.get(subscribers);
      if (indexes === undefined) wantedBy.set(subscribers, [i]);
      else indexes.push(i);
    }
    if (i % fewNames === fewNames - 1) yield;
  }
  const events = new Map<string, ReturnType<typeof liveEvent>>();
  const eventOf = (indexes: readonly number[]): ReturnType<typeof liveEvent> => {
    const key = indexes.length === names.length ? 'all' : indexes.join();
    let event = events.get(key);
    if (event === undefined) {
      const chosen = new Set(indexes.map((i) => names[i]!));
      const isChosen = (name: string): boolean => chosen.has(name);
      const makeArgs = () => [parameterData(place, rows, isChosen)];
      event = liveEvent('ParameterDataReceived', makeArgs, source, bytesOfRows(rows, isChosen), place);
      events.set(key, event);
    }
    return event;
  };
  if (wantedBy.size === 1) {
    for (const [subscribers, indexes] of wantedBy) yield* deliver(eventOf(indexes), subscribers);
    return;
  }
  const wanted = new Map<Subscriber, Wish[]>();
  let seen = 0;
  for (const [subscribers, indexes] of wantedBy) {
    const only = [{ subscribers, indexes }];
    for (const subscriber of [...subscribers]) {
      const own = wanted.get(subscriber);
      if (own === undefined) wanted.set(subscriber, only);
      // A list of one is shared.
      else if (own.length === 1) wanted.set(subscriber, [own[0]!, only[0]!]);
      else own.push(only[0]!);
      if (++seen % fewDeliveries === 0) yield;
    }
  }
  /** By the lists that several subscribers share. */
  const ofLists = new Map<readonly Wish[], ReturnType<typeof liveEvent>>();
  for (const [subscriber, wishes] of wanted) {
    const isStill = ({ subscribers }: Wish): boolean => subscribers.has(subscriber);
    const held = wishes.every(isStill) ? wishes : wishes.filter(isStill);
    if (held.length === 0) continue;
    let event = ofLists.get(held);
    if (event === undefined) {
      event = eventOf(held.length === 1 ? held[0]!.indexes : merged(held.map(({ indexes }) => indexes)));
      ofLists.set(held, event);
    }
    subscriber.deliver(event);
    if (++seen % fewDeliveries === 0) yield;
  }
}

/** What is calculated from the rows, in an event of its own. */
function* publishCalculated(
  { place, source, calculated }: Publication,
  { rows }: ContentOf<'parameterData'>,
): Steps<void> {
  const events = new Map<readonly Rows[], ReturnType<typeof liveEvent>>();
  let delivered = 0;
  for (const delivery of calculated.deliveries(place, rows)) {
    if (delivery === undefined) {
      yield;
      continue;
    }
    const { subscriber, rows: own } = delivery;
    let event = events.get(own);
    if (event === undefined) {
      const makeArgs = () => [parameterData(place, own, () => true)];
      event = liveEvent(
        'ParameterDataReceived',
        makeArgs,
        source,
        bytesOfRows(own, () => true),
        place,
      );
      events.set(own, event);
    }
    subscriber.deliver(event);
    if (++delivered % fewDeliveries === 0) yield;
  }
}

function merged(lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

function* publishEvents(
  { tree, place, source }: Publication,
  { events }: ContentOf<'eventData'>,
): Steps<void> {
  for (const row of events) {
    const event = liveEvent(
      'EventDataReceived',
      () => [eventData(place, row)],
      source,
      bytesOfEvent(row),
      place,
    );
    yield* deliver(event, tree.matches('event', place.topic, place.streamId, row.id));
    yield;
  }
}

function publishDefinitions(
  { tree, place, source }: Publication,
  { type, definitions }: ContentOf<'parameterDefinitions' | 'eventDefinitions'>,
): Steps<void> {
  const target = type === 'parameterDefinitions' ? 'ParameterDefinitionsUpdated' : 'EventDefinitionsUpdated';
  const event = liveEvent(
    target,
    () => [definitionList<unknown>(place, definitions)],
    source,
    source.bytes,
    place,
  );
  return deliver(event, tree.matches(type, place.topic, place.streamId));
}
