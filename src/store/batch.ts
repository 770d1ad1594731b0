import type { DefinitionChange, EventDefinition, ParameterDefinition } from '../domain/definition.ts';
import type { DocumentKind } from '../domain/document.ts';
import type { Rows } from '../domain/parameter-data.ts';
import type { TokenRecord, WorkspaceRecord } from '../domain/principal.ts';
import type { StreamFilter } from '../domain/query.ts';
import type { EndType, StreamKey, StreamProperties } from '../domain/stream.ts';

/** Everything that one request changes. */
export interface Batch {
  readonly workspace: string;
  readonly changes: readonly Change[];
  /** For one whose rows may be many: called once they are copied. Their arrays stay as they are until then. */
  readonly onCopied?: () => void;
  /**
   * Called when its place among all others is known, before any of it can be seen; it may give more changes, a few, for the
   * same record. The append rejects with what it throws.
   */
  readonly onPlaced?: () => readonly Change[] | undefined;
  /** It is taken whatever the limits of its workspace say: they were looked at before. */
  readonly isAdmitted?: boolean;
}

export type Change =
  /**
   * Rows for a stream, which comes into being (with its topic) if it does not exist. Opens it. Events are rows too,
   * with columns of their own kind. With `quiet` they are what the service itself says of a stream: its status
   * and `lastUpdate` stay, a stream that is not there is left alone, and limits do not count.
   */
  | {
      readonly type: 'rows';
      readonly topic: string;
      readonly streamId: string;
      readonly rows: readonly Rows[];
      readonly quiet?: boolean;
    }
  /** Creates the stream if need be, opens it; `properties` replaces all properties, undefined keeps them. */
  | {
      readonly type: 'stream';
      readonly topic: string;
      readonly streamId: string;
      readonly properties?: StreamProperties;
    }
  /**
   * Merges definitions into those of the stream, field by field and in their order. Creates the stream if need be,
   * opens it.
   */
  | {
      readonly type: 'parameterDefinitions';
      readonly topic: string;
      readonly streamId: string;
      readonly definitions: readonly DefinitionChange<ParameterDefinition>[];
    }
  | {
      readonly type: 'eventDefinitions';
      readonly topic: string;
      readonly streamId: string;
      readonly definitions: readonly DefinitionChange<EventDefinition>[];
      readonly quiet?: boolean;
    }
  /** Ends a stream. The caller has made sure that it exists; an unknown stream is left alone. */
  | { readonly type: 'close'; readonly topic: string; readonly streamId: string; readonly endType: EndType }
  /** Replaces the settings of a topic, which comes into being if it does not exist. `retention` in ns. */
  | { readonly type: 'topic'; readonly topic: string; readonly retention: bigint | undefined }
  | { readonly type: 'token'; readonly token: TokenRecord }
  | { readonly type: 'revokeToken'; readonly id: string }
  /** Keeps a document: makes or replaces the one of that kind, topic and id. `body` is JSON. */
  | {
      readonly type: 'keep';
      readonly kind: DocumentKind;
      readonly topic: string | undefined;
      readonly id: string;
      readonly body: string;
    }
  /** Forgets a kept document; one that is not there is left alone. */
  | {
      readonly type: 'forget';
      readonly kind: DocumentKind;
      readonly topic: string | undefined;
      readonly id: string;
    }
  /** Makes the workspace or replaces its settings. */
  | { readonly type: 'workspace'; readonly workspace: WorkspaceRecord }
  /** Removes the workspace with its tokens, kept documents, topics, streams and rows, for good. */
  | { readonly type: 'removeWorkspace'; readonly name: string };

/**
 * `softDelete` hides streams with their rows until they are restored or written to, `hardDelete` removes them for
 * good, `restore` takes a soft delete back.
 */
export interface StreamsChange {
  readonly workspace: string;
  readonly action: 'softDelete' | 'hardDelete' | 'restore';
  /** Order and page have no meaning here. Soft-deleted streams are selected like others. */
  readonly filter: StreamFilter;
  /** The time (ms) as of which statuses are. */
  readonly now: number;
}

export interface ChangedStreams {
  readonly count: number;
  keys(): Iterable<StreamKey>;
}
