import type { CatalogState } from '../../../src/store/embedded/catalog/catalog-state.ts';
import { type EmbeddedCatalog, embeddedCatalog } from '../../../src/store/embedded/catalog/catalog-view.ts';
import {
  listEvents,
  listParameters,
  topicSummaries,
  writtenEvents,
} from '../../../src/store/embedded/catalog/listings.ts';
import { selectStreams } from '../../../src/store/embedded/catalog/select-streams.ts';
import { inOneGo } from '../../../src/store/embedded/catalog/steps.ts';
import { streamModels } from '../../../src/store/embedded/catalog/stream-models.ts';
import { unknownParameters } from '../../../src/store/embedded/catalog/unknown-parameters.ts';

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
      inOneGo(selectStreams(state, workspace, filter, now, interruptedAfterMs)),
    streamModels: (workspace, filter, now) =>
      inOneGo(streamModels(state, workspace, filter, now, interruptedAfterMs)),
    parameters: (workspace, filter) => inOneGo(listParameters(state, workspace, filter)),
    events: (workspace, filter) => inOneGo(listEvents(state, workspace, filter)),
    writtenEvents: (workspace, streams) => inOneGo(writtenEvents(state, workspace, streams)),
    unknownParameters: (workspace, streams, keys) =>
      inOneGo(unknownParameters(state, workspace, streams, keys)),
    topics: (workspace) => inOneGo(topicSummaries(state, workspace)),
  };
}
