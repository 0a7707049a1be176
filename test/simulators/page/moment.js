import { element } from './dom.js';

/** `09:41`, as the reader's system writes it. */
export const clock = (date) => date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** When something was said: the time, with the day if that is not today. */
export function timeView(date) {
  const today = date.toDateString() === new Date().toDateString();
  const day = date.toLocaleDateString([], { day: 'numeric', month: 'short' });
  const words = today ? clock(date) : `${day}, ${clock(date)}`;
  return element('time', { datetime: date.toISOString(), title: date.toLocaleString() }, words);
}
