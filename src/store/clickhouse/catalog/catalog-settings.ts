import type { Settings } from '../client.ts';

/** Of every statement on the catalogue. */
export const catalogSettings: Settings = {
  // On a cluster what stands behind IN is found once, not by every shard for itself.
  distributed_product_mode: 'global',
  // Bounds of parameters are ordered as the numbers that they are.
  precise_float_parsing: 1,
  join_use_nulls: 0,
  max_execution_time: 300,
};
