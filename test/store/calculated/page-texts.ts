/** What follows from rows before, however large a state would be. */
export const following = [
  'previous(A) - difference(B)',
  'derivative(fill(B))',
  "movingMean(A, '2s')",
  "movingMean(movingMean(fill(B), '3s') - previous(A), '5s')",
  "movingMin(B, '2s') + movingMax(A, '40s')",
  "over(movingMean(A, '20s'), 'Lap')",
  "smooth(A, '4s')",
  "derivative(smooth(B, '20s')) - smooth(smooth(A, '3s') - A, '5s')",
];
/** Expressions of the pages. */
export const texts = [
  ...following,
  'integral(A)',
  'sum(A * B)',
  "lowpass(A, '3s')",
  "over(integral(A), 'Lap')",
  "over(over(sum(A), 'Lap'), 'Car') + over(previous(B), 'Car')",
  "over(movingMax(A, '20s'), 'Lap')",
  'A > 0 ? previous(A) : sum(B)',
  "smooth(integral(A), '3s')",
  "lowpass(smooth(A, '3s'), '2s')",
];
