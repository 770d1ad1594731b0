import type { EventDefinition, ParameterData, ParameterDefinition } from './models.ts';

/** A package of parameter data as it was written: the subscribed parameters, all tags. */
export interface LiveParameterData extends ParameterData {
  readonly topic: string;
  readonly streamId: string;
}

export interface LiveEvent {
  readonly topic: string;
  readonly streamId: string;
  readonly id: string;
  readonly timestamp: bigint;
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A stream that is being written to. */
export interface ActiveStream {
  readonly streamId: string;
  readonly topicName: string;
  readonly name: string;
  readonly location: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
  readonly timeOfRecording?: string;
  readonly parameters: Readonly<
    Record<string, Omit<ParameterDefinition, 'id'> & { readonly dataType?: string }>
  >;
  readonly events: Readonly<Record<string, Omit<EventDefinition, 'id'>>>;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly lastData?: string;
}

export interface ActiveStreamChange {
  readonly stream: ActiveStream;
  readonly action: 'AddUpdate' | 'Remove';
}

export interface TopicMetrics {
  readonly timestamp: string;
  readonly topicName: string;
  readonly bytesPerSecond: number;
  readonly activeStreams: number;
}
