"""Operations of Part 2: channels, their sessions, configuration, breakouts, media and events."""
