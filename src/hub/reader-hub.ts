import type { Broker } from '../live/broker.ts';
import type { Subscription } from '../live/subscription.ts';
import type { NameLimit } from '../wire/rows/stream-request.ts';
import { type Caller, type HubMethod, nameArgument } from './connection/hub-method.ts';
import { sharedActiveStreams } from './connection/shared-events.ts';
import type { Argument } from './protocol/hub-message.ts';
import type { Subscriptions } from './subscriptions.ts';

/**
 * The methods that subscribe, each with its `UnsubscribeFrom…`; `*` is a wildcard in each place. Nothing is replayed:
 * what is written from now on comes. A subscription to data is answered when all that was on its way to the disk before it
 * can be read (`settled`), so who subscribes and then reads misses nothing. Active streams and metrics answer with how things stand, without a gap to the
 * first event.
 */
export function readerHub(
  broker: Pick<Broker, 'activeStreams' | 'topicMetrics'>,
  subscriptions: Subscriptions,
  limit: NameLimit,
  settled: () => Promise<void>,
): HubMethod[] {
  const name = (args: readonly Argument[], index: number, what: string): string =>
    nameArgument(args, index, what, limit);
  const ofTopic =
    (kind: 'activeStreams' | 'topicMetrics' | 'packages') =>
    (args: readonly Argument[]): Subscription => ({ kind, topic: name(args, 0, 'topic') });
  const ofStream =
    (kind: 'parameterDefinitions' | 'eventDefinitions') =>
    (args: readonly Argument[]): Subscription => ({
      kind,
      topic: name(args, 0, 'topic'),
      streamId: name(args, 1, 'streamId'),
    });
  const ofId =
    (kind: 'parameter' | 'event') =>
    (args: readonly Argument[]): Subscription => ({
      kind,
      topic: name(args, 0, 'topic'),
      streamId: name(args, 1, 'streamId'),
      id: name(args, 2, `${kind}Id`),
    });

  const pair = (
    what: string,
    arity: number,
    read: (args: readonly Argument[]) => Subscription,
    answer?: (caller: Caller, subscription: Subscription) => unknown,
    openToShares: Pick<HubMethod, 'openToShares'> = open,
  ): HubMethod[] => [
    {
      name: `SubscribeTo${what}`,
      scope: 'read',
      ...openToShares,
      arity: [arity, arity],
      ...(answer !== undefined && { answersList: true as const }),
      invoke(caller, args) {
        const subscription = read(args);
        subscriptions.add(caller, subscription);
        return answer === undefined ? settled() : answer(caller, subscription);
      },
    },
    {
      name: `UnsubscribeFrom${what}`,
      scope: 'read',
      ...openToShares,
      arity: [arity, arity],
      invoke: (caller, args) => subscriptions.remove(caller, read(args)),
    },
  ];

  return [
    ...pair('Parameter', 3, ofId('parameter')),
    ...pair('Event', 3, ofId('event')),
    ...pair('ActiveStreams', 1, ofTopic('activeStreams'), ({ principal }, { topic }) => {
      const { workspace, share } = principal;
      const streams = broker.activeStreams(workspace, topic);
      if (share === undefined) return streams;
      return Promise.resolve(streams).then((all) => sharedActiveStreams(share, all));
    }),
    ...pair(
      'TopicMetrics',
      1,
      ofTopic('topicMetrics'),
      ({ principal }, { topic }) => broker.topicMetrics(principal.workspace, topic),
      // They count what all streams of the topic bring.
      {},
    ),
    ...pair('Packages', 1, ofTopic('packages')),
    ...pair('TopicPackages', 1, ofTopic('packages')),
    ...pair('ParameterDefinitions', 2, ofStream('parameterDefinitions')),
    ...pair('EventDefinitions', 2, ofStream('eventDefinitions')),
    {
      name: 'UnsubscribeFromStream',
      scope: 'read',
      ...open,
      arity: [2, 2],
      invoke: (caller, args) =>
        subscriptions.removeStream(caller, name(args, 0, 'topic'), name(args, 1, 'streamId')),
    },
  ];
}

/** What is delivered to the token of a share is narrowed on its connection (shared-events.ts). */
const open = { openToShares: true } as const;
