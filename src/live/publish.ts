import { liveEvent } from './live-event.ts';
import type { LiveContent } from './live-package.ts';
import { definitionList, eventData, type Place, parameterData } from './models.ts';
import { packageModel } from './package-text.ts';
import type { Subscriber } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';

type ContentOf<Type> = Extract<LiveContent, { readonly type: Type }>;

/** Delivers a package to all who subscribed to it or to something in it. `time` is in ms since the Unix epoch. */
export function publishContent(
  tree: SubscriptionTree,
  place: Place,
  content: LiveContent,
  time: number,
): void {
  switch (content.type) {
    case 'parameterData':
      publishRows(tree, place, content);
      break;
    case 'eventData':
      publishEvents(tree, place, content);
      break;
    case 'parameterDefinitions':
    case 'eventDefinitions':
      publishDefinitions(tree, place, content);
      break;
    case 'stream':
    case 'close':
      break;
  }
  const event = liveEvent('PackageReceived', () => [packageModel(place, content, time)]);
  for (const subscriber of distinct(tree.matches('packages', place.topic))) subscriber.deliver(event);
}

/** One event for each set of parameters that someone wants, shared by all who want just that. */
function publishRows(tree: SubscriptionTree, place: Place, { rows }: ContentOf<'parameterData'>): void {
  const names = [...new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const wanted = new Map<Subscriber, number[]>();
  for (const [i, name] of names.entries()) {
    for (const subscriber of tree.matches('parameter', place.topic, place.streamId, name)) {
      const indexes = wanted.get(subscriber);
      if (indexes === undefined) wanted.set(subscriber, [i]);
      else if (indexes.at(-1) !== i) indexes.push(i);
    }
  }
  const events = new Map<string, ReturnType<typeof liveEvent>>();
  for (const [subscriber, indexes] of wanted) {
    const key = indexes.length === names.length ? 'all' : indexes.join();
    let event = events.get(key);
    if (event === undefined) {
      const chosen = new Set(indexes.map((i) => names[i]!));
      event = liveEvent('ParameterDataReceived', () => [
        parameterData(place, rows, (name) => chosen.has(name)),
      ]);
      events.set(key, event);
    }
    subscriber.deliver(event);
  }
}

function publishEvents(tree: SubscriptionTree, place: Place, { events }: ContentOf<'eventData'>): void {
  for (const row of events) {
    const event = liveEvent('EventDataReceived', () => [eventData(place, row)]);
    for (const subscriber of distinct(tree.matches('event', place.topic, place.streamId, row.id)))
      subscriber.deliver(event);
  }
}

function publishDefinitions(
  tree: SubscriptionTree,
  place: Place,
  { type, definitions }: ContentOf<'parameterDefinitions' | 'eventDefinitions'>,
): void {
  const target = type === 'parameterDefinitions' ? 'ParameterDefinitionsUpdated' : 'EventDefinitionsUpdated';
  const event = liveEvent(target, () => [definitionList<unknown>(place, definitions)]);
  for (const subscriber of distinct(tree.matches(type, place.topic, place.streamId)))
    subscriber.deliver(event);
}

function distinct(found: Iterable<Subscriber>): Set<Subscriber> {
  return new Set(found);
}
