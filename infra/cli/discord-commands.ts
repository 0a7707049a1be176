import {
  ContextMenuCommandBuilder,
  type ContextMenuCommandType,
  type SlashCommandAttachmentOption,
  SlashCommandBuilder,
} from '@discordjs/builders';
import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale as DiscordLocale,
} from 'discord-api-types/v10';
import type { CommandFile } from '../../shared/commands/framework/types.ts';
import {
  type CommandSpec,
  isOnPlatform,
  type OptionSpec,
  type Texts,
} from '../../shared/commands/framework/command-spec.ts';
import { type Locale, LOCALES, type LocalizedText, localize } from '../../shared/i18n/index.ts';

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
const MAX_LENGTH = 100;

const EVERYWHERE = {
  installs: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [
    InteractionContextType.Guild,
    InteractionContextType.BotDM,
    InteractionContextType.PrivateChannel,
  ],
} as const;

/** All commands of Discord's, to be installed in guilds and by people. Throws for one that lacks a text: see `TextsOf`. */
export function discordCommands(files: readonly CommandFile[]): DiscordCommand[] {
  const typed = files.flatMap(({ spec, texts }) =>
    spec && isOnPlatform(spec, 'discord') ? [{ spec, texts }] : [],
  );
  const onPerson = typed.flatMap(({ spec, texts }) =>
    spec.onPerson
      ? [inMenu(ApplicationCommandType.User, spec.onPerson.label, textIn(texts, 'onPerson'))]
      : [],
  );
  const onMessage = files.flatMap(({ onMessage: of, texts }) =>
    of && isOnPlatform(of, 'discord')
      ? [inMenu(ApplicationCommandType.Message, of.label, textIn(texts, 'onMessage'))]
      : [],
  );
  return [...typed.map(slash), ...onPerson, ...onMessage];
}

type Described = { readonly spec: CommandSpec; readonly texts: Texts };

function slash({ spec, texts }: Described): DiscordCommand {
  const about = textIn(texts, 'about');
  const built = new SlashCommandBuilder()
    .setName(spec.name)
    .setNameLocalizations(localized(textIn(texts, 'name')))
    .setDescription(words('en', about))
    .setDescriptionLocalizations(localized(about))
    .setIntegrationTypes(...EVERYWHERE.installs)
    .setContexts(...EVERYWHERE.contexts);
  for (const option of spec.options) add(built, option, texts);
  return { ...built.toJSON() };
}

/** A command in the menu of a message or of a person. */
function inMenu(type: ContextMenuCommandType, label: string, text: LocalizedText): DiscordCommand {
  const built = new ContextMenuCommandBuilder()
    .setType(type)
    .setName(label)
    .setNameLocalizations(localized(text))
    .setIntegrationTypes(...EVERYWHERE.installs)
    .setContexts(...EVERYWHERE.contexts);
  return { ...built.toJSON() };
}

function textIn(texts: Texts, name: string): LocalizedText {
  const text = texts[name];
  if (!text) throw new RangeError(`a command lacks the text ${name}`);
  return text;
}

function add(built: SlashCommandBuilder, option: OptionSpec, texts: Texts): void {
  const named = <T extends Named>(made: T): T => nameAs(made, option, texts);
  switch (option.kind) {
    case 'text':
      built.addStringOption((made) => {
        named(made).setMaxLength(option.most ?? 200);
        for (const value of option.choices ?? []) {
          const text = textIn(texts, `${option.name}=${value}`);
          made.addChoices({ name: words('en', text), value, name_localizations: localized(text) });
        }
        return option.suggests ? made.setAutocomplete(true) : made;
      });
      break;
    case 'number':
      if (option.decimal)
        built.addNumberOption((made) => named(made).setMinValue(option.least).setMaxValue(option.most));
      else built.addIntegerOption((made) => named(made).setMinValue(option.least).setMaxValue(option.most));
      break;
    case 'yes-no':
      built.addBooleanOption(named);
      break;
    case 'user':
      built.addUserOption(named);
      break;
    case 'attachment':
      built.addAttachmentOption((made) => {
        const types = option.types.filter(isFileType).slice(0, 10);
        return types.length > 0 ? named(made).setFileTypes(...types) : named(made);
      });
  }
}

type FileType = Extract<Parameters<SlashCommandAttachmentOption['setFileTypes']>[number], string>;

/** A family such as `audio`, or an ending such as `.ogg`. */
const isFileType = (type: string): type is FileType => /^(?:audio|image|video)$|^\.[a-z0-9]+$/.test(type);

type Named = {
  setName(name: string): unknown;
  setNameLocalizations(names: Partial<Record<DiscordLocale, string>>): unknown;
  setDescription(text: string): unknown;
  setDescriptionLocalizations(texts: Partial<Record<DiscordLocale, string>>): unknown;
  setRequired(required: boolean): unknown;
};

function nameAs<T extends Named>(made: T, { name, required = false }: OptionSpec, texts: Texts): T {
  const about = textIn(texts, `${name}.about`);
  made.setName(name);
  made.setNameLocalizations(localized(textIn(texts, `${name}.name`)));
  made.setDescription(words('en', about));
  made.setDescriptionLocalizations(localized(about));
  made.setRequired(required);
  return made;
}

/** In Discord's languages. It shows the default to all others, and sends it back in each call, whatever was shown. */
const localized = (text: LocalizedText): Partial<Record<DiscordLocale, string>> =>
  Object.fromEntries(
    LOCALES.flatMap((locale) => SHOWN[locale].map((shown) => [shown, words(locale, text)] as const)),
  );

/** Descriptions are no Markdown: marks around code would show. */
function words(locale: Locale, said: LocalizedText): string {
  const text = localize(locale, said).replaceAll('`', '');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : text;
}
