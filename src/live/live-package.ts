import type { EventDefinition, ParameterDefinition } from '../domain/definition.ts';
import type { EventRow } from '../domain/event-data.ts';
import type { Rows } from '../domain/parameter-data.ts';
import type { EndType, StreamProperties } from '../domain/stream.ts';

/** What one request changed in one stream, durable and readable. */
export interface LivePackage {
  readonly workspace: string;
  readonly topic: string;
  readonly streamId: string;
  /** What the client sent, in bytes. */
  readonly bytes: number;
  /** The stream was closed, so it is no longer active. */
  readonly ends: boolean;
  /** What the service itself says of a stream: it is not active for that. */
  readonly quiet?: boolean;
  /** The part that someone wanted when it was written; undefined where nobody did. */
  readonly content: LiveContent | undefined;
}

export type LiveContent =
  /** Nobody writes to the arrays any more. */
  | { readonly type: 'parameterData'; readonly rows: readonly Rows[] }
  | { readonly type: 'eventData'; readonly events: readonly EventRow[] }
  /** As they were sent, not merged. */
  | { readonly type: 'parameterDefinitions'; readonly definitions: readonly ParameterDefinition[] }
  | { readonly type: 'eventDefinitions'; readonly definitions: readonly EventDefinition[] }
  | { readonly type: 'stream'; readonly properties: StreamProperties | undefined }
  | { readonly type: 'close'; readonly endType: EndType };
