/** Matches the messages with which storage drivers report that the storage is full. */
export const STORAGE_FULL_PATTERN =
  /ResourceExhausted|no space left|not enough (?:free )?(?:space|capacity)|insufficient (?:free )?(?:space|capacity)/i;
