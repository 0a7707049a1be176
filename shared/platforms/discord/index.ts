export { memberRolesFinder } from './lookup/member-roles.ts';
export { DiscordApiError } from './api/call.ts';
export { createDiscordDirectory } from './lookup/directory.ts';
export { kindOfCode } from './api/error-codes.ts';
export { cdnOrigins } from './files/fetch-file.ts';
export { guildOf, threadIn, threadFor, isPrivate, botMayWrite, isOwn } from './inbound/conversation-key.ts';
export { guildFinder, guildReader, unknownOnFailure } from './lookup/guild.ts';
export { channelAccessFinder, findMissing, permissionFinder } from './lookup/permissions.ts';
export { publicChannelFinder } from './lookup/public-channel.ts';
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
export { at, idAt, listAt, numberAt, textAt } from './api/json-path.ts';
export { valuesIn } from './blocks/modal.ts';
export {
  focusedIn,
  interactionToken,
  optionsIn,
  targetMessage,
  toInteraction,
} from './inbound/command-options.ts';
export { type RawInteraction, readInteraction } from './inbound/interaction.ts';
export {
  ACKNOWLEDGED,
  PONG,
  type Response,
  autocompleteResponse,
  deferred,
  messageResponse,
  modalResponse,
} from './inbound/responses.ts';
export { verifier } from './inbound/verify.ts';
