import type { Attachment, MessageId, SearchRecord, ToolCallRecord } from '../domain/index.ts';
import type { Locale, TextMessage } from '../i18n/index.ts';
import type { Tool } from '../upstream/index.ts';

/** An image of the thread, and its message. */
export type ThreadPicture = { readonly picture: Attachment; readonly message: MessageId };

/** A tool that the model may call. */
export type ChatTool = {
  /**
   * The name in the setting `tools` that turned it on; absent for tools of the bot itself. With a source, each call is recorded, its
   * step shows its duration, and its result reaches the model as data of strangers: see `shared/chat/tools`.
   */
  readonly source?: string | undefined;
  /** Its results are numbered pages that the answer cites. Not offered to a continuation, whose first part has numbers already. */
  readonly hasNumberedSources?: true;
  /** Its arguments never leave the deployment: placeholders of private data in them are replaced by their values. */
  readonly staysInside?: true;
  /** Not run once an answer has received data of strangers, which could dictate its arguments. */
  readonly needsOwnWords?: true;
  readonly definition: Tool;
  /** Validates the arguments and describes the call to people in their language. Throws ToolError for invalid ones. */
  readonly prepare: (args: Readonly<Record<string, unknown>>, locale: Locale) => PreparedCall;
};

export type PreparedCall = {
  /** What the tool does, for people. */
  readonly title: string;
  /** The same after the name of the bot: "is reading on…". */
  readonly status: TextMessage;
  /** May reject with ToolError; people see no details of other errors. */
  readonly run: (signal: AbortSignal) => Promise<ToolResult>;
};

/** The result of a call: for the model, and a summary for people. */
export type ToolResult = {
  readonly content: string;
  readonly summary: string;
  /** `proposed`: a card asks the person first, and `content` is the bot's own text. `failed`: `content` says why, in words of the source. Default: `done`. */
  readonly outcome?: ToolCallRecord['outcome'] | undefined;
  /** The query and the pages of a web search, which are stored with the turn. */
  readonly search?: SearchRecord | undefined;
};

/** A tool call failed. The model reads the message; people read `userMessage`, in their language. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly userMessage: string | undefined;
  constructor(message: string, userMessage?: string) {
    super(message);
    this.userMessage = userMessage;
  }
}
