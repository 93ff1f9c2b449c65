/** Matches messages in which storage drivers report that they are full. */
export const STORAGE_FULL_PATTERN =
  /ResourceExhausted|no space left|not enough (?:free )?(?:space|capacity)|insufficient (?:free )?(?:space|capacity)/i;
