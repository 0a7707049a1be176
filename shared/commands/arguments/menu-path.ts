import { hasTypedCommands, type Interaction, PLATFORM_TRAITS } from '../../domain/index.ts';
import {
  getCommandFormat,
  getCommandName,
  type Locale,
  localize,
  type LocalizedText,
  MORE_ACTIONS,
  MORE_ACTIONS_TITLE,
  type TypedCommandFormat,
} from '../../i18n/index.ts';

const IN_MODAL: ReadonlySet<LocalizedText> = new Set(Object.values(MORE_ACTIONS));

/**
 * Names a command as people find it in the menu of a message: `Transcribe`. In Slack, whose menu has room for five commands with one name for
 * everybody, the others are in a modal in the language of the person: `More actions › Thread-Einstellungen`.
 */
export function formatMenuPath(label: LocalizedText, format: TypedCommandFormat, locale: Locale): string {
  const isInModal = hasTypedCommands(format) && IN_MODAL.has(label);
  return isInModal
    ? `${getCommandName(MORE_ACTIONS_TITLE, format)} › ${localize(locale, label)}`
    : getCommandName(label, format);
}

/** Says that a command needs a thread, and how to use it there: Slack has no commands in threads, only the menu of a message. */
export function describeMissingThread(
  label: LocalizedText,
  interaction: Interaction,
  locale: Locale,
): string {
  const format = getCommandFormat(interaction);
  if (!hasTypedCommands(format)) return localize(locale, 'memory.nowhere');
  const { name: platform } = PLATFORM_TRAITS[interaction.platform];
  const menu = `_${formatMenuPath(label, format, locale)}_`;
  return localize(locale, 'memory.nowhere-typed', { platform, menu });
}
