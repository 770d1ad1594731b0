/** The limits of a payload of parameter data (contract, section 2), each with an error code of its own. */
export interface PayloadLimits {
  readonly maxParameters: number;
  readonly maxTags: number;
  readonly maxTimestamps: number;
  readonly maxStringBytes: number;
  readonly maxBinaryBytes: number;
  readonly maxNameBytes: number;
}

export const defaultPayloadLimits: PayloadLimits = {
  maxParameters: 4096,
  maxTags: 256,
  maxTimestamps: 1_000_000,
  maxStringBytes: 64 * 1024,
  maxBinaryBytes: 1024 * 1024,
  maxNameBytes: 512,
};
