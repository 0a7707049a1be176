import { element } from './dom.js';

/** A thumb, drawn: not every machine has a font with one. */
export const thumbView = (side) => element('span', { class: `thumb-sign ${side}`, 'aria-hidden': 'true' });
