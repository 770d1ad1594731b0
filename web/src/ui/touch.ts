/** Whether one has fingers and no pointer: what to do is said in other words. */
export const isTouch = matchMedia('(hover: none)').matches;
