import { isList, isObject, isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Model } from '../models.ts';
import { badRequest } from '../error-responses.ts';
import type { ChatRequest, Format, Leniency, Tool } from './request.ts';

/** Reads `tools` of the current shape. */
export function readTools(value: unknown, model: Model): Tool[] {
  if (value === undefined) return [];
  if (!isList(value)) throw badRequest('tools', 'tools must be a list.');
  const tools = value.map(readTool);
  if (!model.nativeTools || !model.features.includes('tools'))
    throw badRequest('tools', `${model.id} does not support tools.`);
  return tools;
}

function readTool(value: unknown): Tool {
  if (!isObject(value) || value['type'] !== 'function' || !isObject(value['function'])) {
    throw badRequest('tools', 'A tool has type "function" and function.');
  }
  const { name, parameters, description } = value['function'];
  if (!isText(name) || !isObject(parameters)) {
    throw badRequest('tools', 'A tool has function.name (string) and function.parameters (JSON schema).');
  }
  if (description !== undefined && !isText(description)) {
    throw badRequest('tools', 'function.description must be a string.');
  }
  return { name, parameters, description: description ?? '' };
}

type Choice = Pick<ChatRequest, 'toolChoice' | 'forcedTool'>;

/** Reads `tool_choice`; `auto` when it is left out. */
export function readToolChoice(value: unknown, tools: readonly Tool[], lenient: Leniency): Choice {
  if (value === undefined) return { toolChoice: 'auto', forcedTool: undefined };
  if (value === 'auto' || value === 'none' || value === 'required') {
    if (value === 'required' && tools.length === 0) {
      throw badRequest('tool_choice', 'tool_choice "required" needs tools.');
    }
    return { toolChoice: value, forcedTool: undefined };
  }
  const toolName = isObject(value) && isObject(value['function']) ? value['function']['name'] : undefined;
  if (lenient.toolChoiceObject && isText(toolName) && tools.some((tool) => tool.name === toolName)) {
    return { toolChoice: 'required', forcedTool: toolName };
  }
  throw badRequest('tool_choice', 'tool_choice must be auto, none or required.', 'invalid_value');
}

/** Reads `response_format`. */
export function readFormat(value: unknown, model: Model, lenient: Leniency): Format {
  if (value === undefined) return { kind: 'text' };
  const type = isObject(value) ? value['type'] : undefined;
  if (type === 'text') return { kind: 'text' };
  if (type === 'json_object') {
    if (model.jsonObject || lenient.jsonObjectEverywhere) return { kind: 'json_object' };
    throw badRequest('response_format', `${model.id} does not support json_object; use json_schema.`);
  }
  if (type !== 'json_schema' || !isObject(value)) {
    throw badRequest('response_format', 'response_format.type must be text, json_schema or json_object.');
  }
  const format: JsonObject = isObject(value['json_schema']) ? value['json_schema'] : {};
  const { name, schema, strict } = format;
  if (!isText(name) || !isObject(schema)) {
    throw badRequest('response_format', 'json_schema needs name (string) and schema (JSON schema).');
  }
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean') {
    throw badRequest('response_format', 'json_schema.strict must be a boolean.');
  }
  if (!model.features.includes('structured_outputs')) {
    throw badRequest('response_format', `${model.id} does not support structured outputs.`);
  }
  return { kind: 'json_schema', name, schema };
}
