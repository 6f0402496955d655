/** Reads the text of a message of MCP that a model, a tool or a person may see. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { contentText } from '../../readable.ts';

/** Members of `_meta` that carry the protocol. */
const ENVELOPE = /^io\.modelcontextprotocol\/(?:protocolVersion|clientInfo|clientCapabilities|logLevel)$/;
/** Members that steer the protocol, with their values as JSON: numbers, closed words, and a token without words. */
const SIGN =
  /^(?:(?:progress|total|ttlMs) [\d.e+-]+|isError (?:true|false)|resultType "complete"|cacheScope "(?:public|private)"|progressToken (?:[\d.e+-]+|"[\w-]{1,64}"))$/;

/** Reads a result; a structured content that its text repeats is read once. */
export function resultText(result: JsonObject): string {
  const { structuredContent, content, ...rest } = result;
  const said = contentText(content);
  const isRepeated = structuredContent === undefined || said === JSON.stringify(structuredContent);
  const texts = [said, isRepeated ? '' : contentText(structuredContent), contentText(withoutSigns(rest))];
  return texts.filter((text) => text !== '').join('\n');
}

/** Returns parameters without the envelope of the protocol. */
export function contentOf(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta)) return withoutSigns(params);
  const kept = Object.entries(withoutSigns(meta)).filter(([name]) => !ENVELOPE.test(name));
  return withoutSigns(kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) });
}

function withoutSigns(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !SIGN.test(`${name} ${JSON.stringify(member)}`)),
  );
}
