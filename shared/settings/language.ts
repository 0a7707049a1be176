import { type Layers, resolveAmong } from './among.ts';
import { LEVELS } from './level.ts';

/** The language that is set where something is read (a BCP 47 tag); undefined where none is, or `auto`. Without the table of settings, for a front. */
export function languageSet(layers: Layers): string | undefined {
  const { value } = resolveAmong(LEVELS, 'language', layers);
  return value === 'auto' ? undefined : value;
}
