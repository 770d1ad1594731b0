// What few open, and what is larger: loaded when it is opened.
export { BesidePanels } from './beside/beside.tsx';
