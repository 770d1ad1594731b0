import { foldTopic } from '../../domain/topic.ts';
import type { Place } from './heartbeat.ts';

/** Topics of which packages were lost since the last beat, each once. */
export interface Losses {
  add(place: Place): void;
  /** `others`: losses of topics beyond those that one beat names. */
  take(): { readonly places: readonly Place[]; readonly others: number };
}

/** The most places that a beat names: where so much is lost, everyone may miss something. */
const maxPlaces = 500;

export function createLosses(): Losses {
  let places = new Map<string, Place>();
  let others = 0;

  return {
    add({ workspace, topic }) {
      const key = JSON.stringify([workspace, foldTopic(topic)]);
      if (places.has(key)) return;
      if (places.size < maxPlaces) places.set(key, { workspace, topic });
      else others++;
    },
    take() {
      const taken = { places: [...places.values()], others };
      places = new Map();
      others = 0;
      return taken;
    },
  };
}
