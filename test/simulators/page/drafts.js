import { filesIn, setFiles } from './attach.js';

/** What is written and not sent stays with the place that it was written for. */
export function createDrafts(form) {
  const area = form.querySelector('textarea');
  const drafts = new Map();
  let current;
  return {
    /** Shows what was last written for a place. */
    show(place) {
      if (place === current) return;
      if (current !== undefined) drafts.set(current, { text: area.value, files: filesIn(form) });
      const { text = '', files = [] } = drafts.get(place) ?? {};
      drafts.delete(place);
      current = place;
      if (area.value !== text) area.value = text;
      setFiles(form, files);
    },
    /** Puts something back to be written anew: into the box if it is empty there, else it waits for nobody. */
    restore(place, text, files) {
      if (place !== current) return void drafts.set(place, { text, files });
      area.value = area.value === '' ? text : `${text}\n${area.value}`;
      setFiles(form, [...files, ...filesIn(form)]);
      area.focus();
      return undefined;
    },
  };
}
