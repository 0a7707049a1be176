import type {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonStyle,
  ChannelType,
  ComponentType,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  TextInputStyle,
  ThreadAutoArchiveDuration,
  APIAllowedMentions,
} from 'discord-api-types/v10';

/**
 * Numbers of Discord's API. The compiler compares each with its member in discord-api-types. The package itself is not loaded for
 * them: its tables are 110 KB, and the front may have 40 KB. The bundler replaces each of these constants by its number.
 */

// oxlint-disable typescript/no-unsafe-enum-assignment -- the compiler refuses any other number than that of the member
export const PING: InteractionType.Ping = 1;
export const APPLICATION_COMMAND: InteractionType.ApplicationCommand = 2;
export const MESSAGE_COMPONENT: InteractionType.MessageComponent = 3;
export const AUTOCOMPLETE: InteractionType.ApplicationCommandAutocomplete = 4;
export const MODAL_SUBMIT: InteractionType.ModalSubmit = 5;

export const RESPOND_PONG: InteractionResponseType.Pong = 1;
export const RESPOND_MESSAGE: InteractionResponseType.ChannelMessageWithSource = 4;
export const RESPOND_DEFERRED_MESSAGE: InteractionResponseType.DeferredChannelMessageWithSource = 5;
export const RESPOND_DEFERRED_UPDATE: InteractionResponseType.DeferredMessageUpdate = 6;
export const RESPOND_AUTOCOMPLETE: InteractionResponseType.ApplicationCommandAutocompleteResult = 8;
export const RESPOND_MODAL: InteractionResponseType.Modal = 9;

export const USER_COMMAND: ApplicationCommandType.User = 2;
export const MESSAGE_COMMAND: ApplicationCommandType.Message = 3;
export const USER_OPTION: ApplicationCommandOptionType.User = 6;
export const ATTACHMENT_OPTION: ApplicationCommandOptionType.Attachment = 11;

export const BOT_DM_CONTEXT: InteractionContextType.BotDM = 1;
export const DM_CHANNEL: ChannelType.DM = 1;
export const ANNOUNCEMENT_THREAD: ChannelType.AnnouncementThread = 10;
export const PUBLIC_THREAD: ChannelType.PublicThread = 11;
export const PRIVATE_THREAD: ChannelType.PrivateThread = 12;
export const ARCHIVE_AFTER_ONE_DAY: ThreadAutoArchiveDuration.OneDay = 1_440;

export const ACTION_ROW: ComponentType.ActionRow = 1;
export const BUTTON: ComponentType.Button = 2;
export const STRING_SELECT: ComponentType.StringSelect = 3;
export const TEXT_INPUT: ComponentType.TextInput = 4;
export const TEXT_DISPLAY: ComponentType.TextDisplay = 10;
export const MEDIA_GALLERY: ComponentType.MediaGallery = 12;
export const FILE: ComponentType.File = 13;
export const SEPARATOR: ComponentType.Separator = 14;
export const CONTAINER: ComponentType.Container = 17;
export const LABEL: ComponentType.Label = 18;

export const PRIMARY_BUTTON: ButtonStyle.Primary = 1;
export const SECONDARY_BUTTON: ButtonStyle.Secondary = 2;
export const DANGER_BUTTON: ButtonStyle.Danger = 4;
export const SHORT_INPUT: TextInputStyle.Short = 1;
export const PARAGRAPH_INPUT: TextInputStyle.Paragraph = 2;

/** Link previews would fetch URLs that a model has made up. */
const SUPPRESS_EMBEDS: MessageFlags.SuppressEmbeds = 4;
/** Only the person who used the interaction sees the message. */
export const EPHEMERAL: MessageFlags.Ephemeral = 64;
export const IS_VOICE_MESSAGE: MessageFlags.IsVoiceMessage = 8_192;
export const IS_COMPONENTS_V2: MessageFlags.IsComponentsV2 = 32_768;

/** Mentions in a message notify nobody. Discord's default notifies people, and in the bot's own messages everyone. */
export const NO_MENTIONS: APIAllowedMentions = { parse: [], replied_user: false };

/** Messages show no link previews. */
export const NO_PREVIEWS = SUPPRESS_EMBEDS;
