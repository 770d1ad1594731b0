import type { CatalogState } from '../../../src/store/embedded/catalog/catalog-state.ts';
import { type EmbeddedCatalog, embeddedCatalog } from '../../../src/store/embedded/catalog/catalog-view.ts';
import {
  listEvents,
  listParameters,
  topicSummaries,
  writtenEvents,
} from '../../../src/store/embedded/catalog/listings.ts';
import { selectStreams } from '../../../src/store/embedded/catalog/select-streams.ts';
import { streamModels } from '../../../src/store/embedded/catalog/stream-models.ts';
import { unknownParameters } from '../../../src/store/embedded/catalog/unknown-parameters.ts';
import { whole } from '../../../src/turns/steps.ts';

/** A catalogue with listings made in one go, however long that takes. */
export type CatalogView = {
  readonly [Name in keyof EmbeddedCatalog]: (
    ...asked: Parameters<EmbeddedCatalog[Name]>
  ) => Exclude<ReturnType<EmbeddedCatalog[Name]>, Promise<unknown>>;
};

export function catalogView(state: CatalogState, interruptedAfterMs: number): CatalogView {
  return {
    ...embeddedCatalog(state, interruptedAfterMs),
    streams: (workspace, filter, now) =>
      whole(selectStreams(state, workspace, filter, now, interruptedAfterMs)),
    streamModels: (workspace, filter, now) =>
      whole(streamModels(state, workspace, filter, now, interruptedAfterMs)),
    parameters: (workspace, filter) => whole(listParameters(state, workspace, filter)),
    events: (workspace, filter) => whole(listEvents(state, workspace, filter)),
    writtenEvents: (workspace, streams) => whole(writtenEvents(state, workspace, streams)),
    unknownParameters: (workspace, streams, keys) =>
      whole(unknownParameters(state, workspace, streams, keys)),
    topics: (workspace) => whole(topicSummaries(state, workspace)),
  };
}
