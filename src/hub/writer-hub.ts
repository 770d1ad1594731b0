import type { Warn } from '../domain/warning.ts';
import type { StreamCall, Written } from '../ingest/write-call.ts';
import type { Writer } from '../ingest/writer.ts';
import { neverAborted } from '../turns/pace.ts';
import { excerpt } from '../wire/base/name.ts';
import { checkBodySize, settingsLimits } from '../wire/json/json-memory.ts';
import { type HubMethod, isLongArgument, textArgument } from './connection/hub-method.ts';
import type { Argument } from './protocol/hub-message.ts';
import { takeMember } from './protocol/take-member.ts';

/**
 * The methods that write. From the argument's bytes on, it is the same way as over HTTP.
 *
 * @param warn told of writes that were probably meant otherwise: the protocol has no place for it in an answer
 */
export function writerHub(writer: Writer, warn: Warn): HubMethod[] {
  const tell = ({ streamId }: StreamCall, { expired, warning }: Written): void => {
    if (warning !== undefined) warn(warning);
    if (expired > 0) warn(textOfExpired(streamId, expired));
  };
  return [
    {
      name: 'CreateStream',
      scope: 'write',
      arity: [2, 2],
      async invoke({ principal }, args, share) {
        const body = objectArgument(args, 1);
        const call = { workspace: principal.workspace, topic: topicOf(args), share };
        return { streamId: await writer.createStream(call, body) };
      },
    },
    {
      name: 'UpdateStream',
      scope: 'write',
      arity: [2, 3],
      invoke({ principal }, args, share) {
        const to = { workspace: principal.workspace, topic: topicOf(args), share };
        if (args.length === 3) {
          return writer.updateStream({ ...to, streamId: streamOf(args) }, objectArgument(args, 2));
        }
        const { text, rest } = takeMember(settingsArgument(args, 1), 'streamId');
        return writer.updateStream({ ...to, streamId: text }, rest);
      },
    },
    {
      name: 'CloseStream',
      scope: 'write',
      arity: [2, 2],
      looksBack: true,
      invoke({ principal }, args) {
        const { workspace } = principal;
        return writer.closeStream({ workspace, topic: topicOf(args), streamId: streamOf(args) }, nothing);
      },
    },
    forStream('SendParameterData', async (call, body) => tell(call, await writer.parameterData(call, body))),
    forStream('SendEventData', async (call, body) => tell(call, await writer.eventData(call, body))),
    forStream('UpdateParameters', (call, body) => writer.updateParameters(call, body)),
    forStream('UpdateEvents', (call, body) => writer.updateEvents(call, body)),
  ];
}

/** A method of topic, stream and payload. */
function forStream(name: string, write: (call: StreamCall, body: Uint8Array) => Promise<void>): HubMethod {
  return {
    name,
    scope: 'write',
    arity: [3, 3],
    payload: 2,
    invoke({ principal }, args, share) {
      const { workspace } = principal;
      const signal = isLongArgument(args[2]!) ? untilItEnds : undefined;
      const call = { workspace, topic: topicOf(args), streamId: streamOf(args), share, signal };
      return write(call, args[2]!.json());
    },
  };
}

/** A call goes on when its connection is gone. */
const untilItEnds = (): AbortSignal => neverAborted;

function textOfExpired(streamId: string, rows: number): string {
  return `Rows older than the retention of their topic were not kept: ${rows} of the stream ${excerpt(streamId)}.`;
}

function topicOf(args: readonly Argument[]): string {
  return textArgument(args, 0, 'topic');
}

function streamOf(args: readonly Argument[]): string {
  return textArgument(args, 1, 'streamId');
}

const nothing = Buffer.alloc(0);

/** What is larger than settings may be is refused before it becomes JSON. */
function settingsArgument(args: readonly Argument[], index: number): Uint8Array {
  const argument = args[index]!;
  checkBodySize(argument, settingsLimits);
  return argument.json();
}

/** null is the same as an absent body. */
function objectArgument(args: readonly Argument[], index: number): Uint8Array {
  const json = settingsArgument(args, index);
  return json.length < 8 && Buffer.from(json).toString().trim() === 'null' ? nothing : json;
}
