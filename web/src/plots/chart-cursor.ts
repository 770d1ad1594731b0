import type uPlot from 'uplot';

/** Whether a pointer is over any plot: then it says where the cursor is. */
export function isPointedAt(): boolean {
  return document.querySelector('.u-over:hover') !== null;
}

/** Puts the cursor of a chart, and of no other, to a place across. */
export function putCursor(chart: uPlot, place: number): void {
  chart.setCursor({ left: chart.valToPos(place, 'x'), top: chart.bbox.height / devicePixelRatio / 2 }, false);
}
