import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ContextMenuCommandBuilder,
  type ContextMenuCommandType,
  InteractionContextType,
  Locale as DiscordLocale,
  type SlashCommandAttachmentOption,
  SlashCommandBuilder,
} from 'discord.js';
import type { CommandSpec, MessageCommandSpec, OptionSpec } from '../../shared/flows/commands/spec.ts';
import { isText, type Locale, LOCALES, say, type TextKey } from '../../shared/texts/index.ts';

/** A command as Discord is told of it. */
export type DiscordCommand = Readonly<Record<string, unknown>>;

/** By which of Discord's languages each of ours is shown. English is what all others see. */
const SHOWN: Readonly<Record<Locale, readonly DiscordLocale[]>> = {
  en: [],
  de: [DiscordLocale.German],
  fr: [DiscordLocale.French],
  es: [DiscordLocale.SpanishES, DiscordLocale.SpanishLATAM],
  pt: [DiscordLocale.PortugueseBR],
  ja: [DiscordLocale.Japanese],
  ko: [DiscordLocale.Korean],
  zh: [DiscordLocale.ChineseCN, DiscordLocale.ChineseTW],
};

/** Discord's limit for the description of a command or an option. */
const LONGEST = 100;

const EVERYWHERE = {
  installs: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [
    InteractionContextType.Guild,
    InteractionContextType.BotDM,
    InteractionContextType.PrivateChannel,
  ],
} as const;

/** All commands of Discord's, to be installed in guilds and by people. */
export function discordCommands(
  commands: readonly CommandSpec[],
  onMessages: readonly MessageCommandSpec[],
): DiscordCommand[] {
  const known = here(commands);
  const onPersons = known.flatMap(({ onPerson }) => onPerson ?? []).map(inMenu(ApplicationCommandType.User));
  const onMessage = here(onMessages).map(inMenu(ApplicationCommandType.Message));
  return [...known.map(slash), ...onPersons, ...onMessage];
}

function here<T extends Pick<CommandSpec, 'platforms'>>(of: readonly T[]): readonly T[] {
  return of.filter(({ platforms }) => platforms.includes('discord'));
}

function slash(spec: CommandSpec): DiscordCommand {
  const built = new SlashCommandBuilder()
    .setName(spec.name)
    .setNameLocalizations(localized(spec.title))
    .setDescription(words('en', spec.about))
    .setDescriptionLocalizations(localized(spec.about))
    .setIntegrationTypes(...EVERYWHERE.installs)
    .setContexts(...EVERYWHERE.contexts);
  for (const option of spec.options)
    add(built, {
      ...option,
      about: option.about ?? textKey(spec.about.replace(/about$/u, `${option.name}.about`)),
    });
  return { ...built.toJSON() };
}

/** A command in the menu of a message or of a person. */
const inMenu =
  (type: ContextMenuCommandType) =>
  ({ label, text }: Pick<MessageCommandSpec, 'label' | 'text'>): DiscordCommand => {
    const built = new ContextMenuCommandBuilder()
      .setType(type)
      .setName(label)
      .setNameLocalizations(localized(text))
      .setIntegrationTypes(...EVERYWHERE.installs)
      .setContexts(...EVERYWHERE.contexts);
    return { ...built.toJSON() };
  };

function textKey(key: string): TextKey {
  if (!isText(key)) throw new RangeError(`no text ${key}`);
  return key;
}

type Described = OptionSpec & { readonly about: TextKey };

function add(built: SlashCommandBuilder, option: Described): void {
  switch (option.kind) {
    case 'text':
      built.addStringOption((made) => {
        named(made, option).setMaxLength(option.most ?? 200);
        for (const value of option.choices ?? []) {
          const text = textKey(option.about.replace(/about$/u, value));
          made.addChoices({ name: words('en', text), value, name_localizations: localized(text) });
        }
        return option.suggests ? made.setAutocomplete(true) : made;
      });
      break;
    case 'number':
      if (option.decimal)
        built.addNumberOption((made) =>
          named(made, option).setMinValue(option.least).setMaxValue(option.most),
        );
      else
        built.addIntegerOption((made) =>
          named(made, option).setMinValue(option.least).setMaxValue(option.most),
        );
      break;
    case 'yes-no':
      built.addBooleanOption((made) => named(made, option));
      break;
    case 'user':
      built.addUserOption((made) => named(made, option));
      break;
    case 'attachment':
      built.addAttachmentOption((made) => {
        const types = option.types.filter(isFileType).slice(0, 10);
        return types.length > 0 ? named(made, option).setFileTypes(...types) : named(made, option);
      });
  }
}

type FileType = Extract<Parameters<SlashCommandAttachmentOption['setFileTypes']>[number], string>;

/** A family such as `audio`, or an ending such as `.ogg`. */
const isFileType = (type: string): type is FileType => /^(?:audio|image|video)$|^\.[a-z0-9]+$/.test(type);

type Named = {
  setName(name: string): unknown;
  setDescription(text: string): unknown;
  setDescriptionLocalizations(texts: Partial<Record<DiscordLocale, string>>): unknown;
  setRequired(required: boolean): unknown;
};

function named<T extends Named>(made: T, { name, about, required = false }: Described): T {
  made.setName(name);
  made.setDescription(words('en', about));
  made.setDescriptionLocalizations(localized(about));
  made.setRequired(required);
  return made;
}

function localized(key: TextKey | undefined): Partial<Record<DiscordLocale, string>> {
  if (key === undefined) return {};
  return Object.fromEntries(
    LOCALES.flatMap((locale) => SHOWN[locale].map((shown) => [shown, words(locale, key)] as const)),
  );
}

/** Descriptions are no Markdown: marks around code would show. */
function words(locale: Locale, key: TextKey): string {
  const text = say(locale, key).replaceAll('`', '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).toWellFormed()}…` : text;
}
