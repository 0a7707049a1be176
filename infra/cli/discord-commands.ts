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
import {
  type CommandFile,
  type CommandSpec,
  isOnPlatform,
  type OptionSpec,
  type Texts,
} from '../../shared/commands/index.ts';
import { type Locale, LOCALES, type LocalizedText, localize } from '../../shared/i18n/index.ts';

/** A command as Discord's API expects it. */
export type DiscordCommand = Readonly<Record<string, unknown>>;

/** Discord locales for each of our locales. English is the default for all others. */
const DISCORD_LOCALES: Readonly<Record<Locale, readonly DiscordLocale[]>> = {
  en: [],
  de: [DiscordLocale.German],
  fr: [DiscordLocale.French],
  es: [DiscordLocale.SpanishES, DiscordLocale.SpanishLATAM],
  pt: [DiscordLocale.PortugueseBR],
  ja: [DiscordLocale.Japanese],
  ko: [DiscordLocale.Korean],
  zh: [DiscordLocale.ChineseCN, DiscordLocale.ChineseTW],
};

/** Discord's limit for descriptions of commands and options. */
const MAX_DESCRIPTION_CHARS = 100;

const EVERYWHERE = {
  installs: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [
    InteractionContextType.Guild,
    InteractionContextType.BotDM,
    InteractionContextType.PrivateChannel,
  ],
} as const;

/** Builds all Discord commands, for installation in guilds and by users. Throws when a command lacks a text. */
export function buildDiscordCommands(files: readonly CommandFile[]): DiscordCommand[] {
  const slashCommands = files.flatMap(({ spec, texts }) =>
    spec && isOnPlatform(spec, 'discord') ? [{ spec, texts }] : [],
  );
  const personMenu = slashCommands.flatMap(({ spec, texts }) =>
    spec.personMenu
      ? [buildMenuCommand(ApplicationCommandType.User, spec.personMenu.label, getText(texts, 'personMenu'))]
      : [],
  );
  const messageCommand = files.flatMap(({ messageCommand: of, texts }) =>
    of && isOnPlatform(of, 'discord')
      ? [buildMenuCommand(ApplicationCommandType.Message, of.label, getText(texts, 'messageCommand'))]
      : [],
  );
  return [...slashCommands.map(buildSlashCommand), ...personMenu, ...messageCommand];
}

type DescribedCommand = { readonly spec: CommandSpec; readonly texts: Texts };

function buildSlashCommand({ spec, texts }: DescribedCommand): DiscordCommand {
  const about = getText(texts, 'about');
  const builder = new SlashCommandBuilder()
    .setName(spec.name)
    .setNameLocalizations(toLocalizations(getText(texts, 'name')))
    .setDescription(toPlainText('en', about))
    .setDescriptionLocalizations(toLocalizations(about))
    .setIntegrationTypes(...EVERYWHERE.installs)
    .setContexts(...EVERYWHERE.contexts);
  for (const option of spec.options) addOption(builder, option, texts);
  return { ...builder.toJSON() };
}

/** Builds a command for the context menu of a message or a user. */
function buildMenuCommand(type: ContextMenuCommandType, label: string, text: LocalizedText): DiscordCommand {
  const builder = new ContextMenuCommandBuilder()
    .setType(type)
    .setName(label)
    .setNameLocalizations(toLocalizations(text))
    .setIntegrationTypes(...EVERYWHERE.installs)
    .setContexts(...EVERYWHERE.contexts);
  return { ...builder.toJSON() };
}

function getText(texts: Texts, name: string): LocalizedText {
  const text = texts[name];
  if (!text) throw new RangeError(`a command has no text ${name}`);
  return text;
}

function addOption(builder: SlashCommandBuilder, option: OptionSpec, texts: Texts): void {
  const describe = <T extends OptionBuilder>(optionBuilder: T): T =>
    describeOption(optionBuilder, option, texts);
  switch (option.kind) {
    case 'text':
      builder.addStringOption((optionBuilder) => {
        describe(optionBuilder).setMaxLength(option.max ?? 200);
        for (const value of option.choices ?? []) {
          const text = getText(texts, `${option.name}=${value}`);
          optionBuilder.addChoices({
            name: toPlainText('en', text),
            value,
            name_localizations: toLocalizations(text),
          });
        }
        return option.suggests ? optionBuilder.setAutocomplete(true) : optionBuilder;
      });
      break;
    case 'number':
      if (option.decimal)
        builder.addNumberOption((optionBuilder) =>
          describe(optionBuilder).setMinValue(option.min).setMaxValue(option.max),
        );
      else
        builder.addIntegerOption((optionBuilder) =>
          describe(optionBuilder).setMinValue(option.min).setMaxValue(option.max),
        );
      break;
    case 'yes-no':
      builder.addBooleanOption(describe);
      break;
    case 'user':
      builder.addUserOption(describe);
      break;
    case 'attachment':
      builder.addAttachmentOption((optionBuilder) => {
        const types = option.types.filter(isFileType).slice(0, 10);
        return types.length > 0 ? describe(optionBuilder).setFileTypes(...types) : describe(optionBuilder);
      });
  }
}

type FileType = Extract<Parameters<SlashCommandAttachmentOption['setFileTypes']>[number], string>;

/** A media type such as `audio`, or a file extension such as `.ogg`. */
const isFileType = (type: string): type is FileType => /^(?:audio|image|video)$|^\.[a-z0-9]+$/.test(type);

type OptionBuilder = {
  setName(name: string): unknown;
  setNameLocalizations(names: Partial<Record<DiscordLocale, string>>): unknown;
  setDescription(text: string): unknown;
  setDescriptionLocalizations(texts: Partial<Record<DiscordLocale, string>>): unknown;
  setRequired(required: boolean): unknown;
};

function describeOption<T extends OptionBuilder>(
  optionBuilder: T,
  { name, required = false }: OptionSpec,
  texts: Texts,
): T {
  const about = getText(texts, `${name}.about`);
  optionBuilder.setName(name);
  optionBuilder.setNameLocalizations(toLocalizations(getText(texts, `${name}.name`)));
  optionBuilder.setDescription(toPlainText('en', about));
  optionBuilder.setDescriptionLocalizations(toLocalizations(about));
  optionBuilder.setRequired(required);
  return optionBuilder;
}

/** Localizes a text. Discord shows the default for other locales, and always sends the default name in interactions. */
const toLocalizations = (text: LocalizedText): Partial<Record<DiscordLocale, string>> =>
  Object.fromEntries(
    LOCALES.flatMap((locale) =>
      DISCORD_LOCALES[locale].map((discordLocale) => [discordLocale, toPlainText(locale, text)] as const),
    ),
  );

/** Descriptions are not Markdown: backticks would be visible. */
function toPlainText(locale: Locale, localizedText: LocalizedText): string {
  const text = localize(locale, localizedText).replaceAll('`', '');
  return text.length > MAX_DESCRIPTION_CHARS
    ? `${text.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`
    : text;
}
