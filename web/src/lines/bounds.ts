/** From where to where on an axis of numbers. */
export type Bounds = readonly [low: number, high: number];
