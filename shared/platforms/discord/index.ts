export { createMemberRolesFinder } from './lookup/member-roles.ts';
export { DiscordApiError } from './api/call.ts';
export { createDiscordDirectory } from './lookup/directory.ts';
export { getKindOfCode } from './api/error-codes.ts';
export { listCdnOrigins } from './files/fetch-file.ts';
export {
  toWorkspaceId,
  toThread,
  chooseThread,
  isPrivate,
  botMayWrite,
  isOwn,
} from './inbound/conversation-key.ts';
export { createGuildFinder, createGuildReader, unknownOnFailure } from './lookup/guild.ts';
export { createChannelAccessFinder, findMissing, createPermissionFinder } from './lookup/permissions.ts';
export { createPublicChannelFinder } from './lookup/public-channel.ts';
export { parseButton } from './blocks/answer-buttons.ts';
export { createDiscordPlatform } from './platform.ts';
export { createDiscordMessenger } from './posts/messenger.ts';
export { createRestCall, loadRestPackage } from './api/rest-client.ts';
export {
  APPLICATION_COMMAND,
  AUTOCOMPLETE,
  MESSAGE_COMMAND,
  MESSAGE_COMPONENT,
  MODAL_SUBMIT,
  PING,
  USER_COMMAND,
} from './api/enums.ts';
export { readValue, readId, readList, readNumber, readString } from './api/json-path.ts';
export { readFormValues } from './blocks/modal.ts';
export { readFileName } from './inbound/attachments.ts';
export { getEmbedWords } from './lookup/message-words.ts';
export {
  findFocusedOption,
  interactionToken,
  parseOptions,
  targetMessage,
  toInteraction,
} from './inbound/command-options.ts';
export { type RawInteraction, readInteraction } from './inbound/interaction.ts';
export {
  ACKNOWLEDGED,
  PONG,
  type Response,
  autocompleteResponse,
  createDeferredResponse,
  createMessageResponse,
  createModalResponse,
} from './inbound/responses.ts';
export { createVerifier } from './inbound/verify.ts';
