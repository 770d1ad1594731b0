/** The limits of a payload of parameter data (contract, section 2), each with an error code of its own. */
export interface PayloadLimits {
  readonly maxParameters: number;
  readonly maxTags: number;
  readonly maxTimestamps: number;
  readonly maxStringBytes: number;
  readonly maxBinaryBytes: number;
  readonly maxNameBytes: number;
}
