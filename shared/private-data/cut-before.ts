import type { SettingsLayers } from '../settings/rules/index.ts';
import { getFilter } from './private-data-filter.ts';
import { findPrivateData } from './find-private-data.ts';
import { TextReader } from './text-reader.ts';

/** How far around a cut private data is searched, in characters: a private key has about 3,300. */
const WINDOW = 4_096;

/**
 * Returns where a text can be cut, at this place or before it, so that no private data is in two parts: the parts would not be masked, and
 * whoever gets both could put them together.
 */
export function cutBeforePrivateData(text: string, place: number, layers: SettingsLayers): number {
  const filter = getFilter(layers);
  if (!filter || place >= text.length) return place;
  const from = Math.max(0, place - WINDOW);
  const reader = new TextReader(text.slice(from, place + WINDOW));
  const across = findPrivateData(reader, filter).find(
    ({ start, end }) => from + reader.toOriginal(start) < place && from + reader.toOriginal(end) > place,
  );
  const cut = across ? from + reader.toOriginal(across.start) : place;
  // What fills the whole window is masked in both parts, or is no private data.
  return cut > from ? cut : place;
}
