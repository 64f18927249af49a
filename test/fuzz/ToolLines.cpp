//===- ToolLines.cpp - Random command lines from the help -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help of a command lists its options and the form of their values. Command
// lines for every command are drawn from it, without a list here.
//
//===----------------------------------------------------------------------===//

#include "ToolDamage.h"
#include "ToolMutants.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

/// The output of a command.
static std::string outputOf(llvm::ArrayRef<StringRef> words) {
  FILE *file = tmpfile();
  llvm::outs().flush();
  int before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  runHere(words);
  llvm::outs().flush();
  dup2(before, STDOUT_FILENO);
  close(before);
  rewind(file);
  std::string text;
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, got);
  fclose(file);
  return text;
}

/// The first words of the lines after the empty one.
static std::vector<std::string> namesIn(StringRef help) {
  std::vector<std::string> names;
  for (StringRef line : llvm::split(help, '\n'))
    if (line.consume_front("  ") && !line.starts_with(" ") &&
        !line.starts_with("-"))
      names.push_back(line.split(' ').first.str());
  return names;
}

/// A valid value for an option whose name implies one: a line with one invalid
/// value ends there.
static std::string valueFor(StringRef name, StringRef placeholder,
                            const std::string &folder, fuzz::Random &random) {
  static constexpr std::pair<StringRef, StringRef> kGood[] = {
      {"--arch", "h200"},
      {"--schedule", "ws, stages = 3"},
      {"--pipeline", "f32=tf32x3 guess=false"},
      {"--rest", "gpu"},
      {"--arguments", "host"},
      {"--format", "ptx"},
      {"--policy", "model"},
      {"--policies", "model,random"},
      {"--types", "f16:f16"},
      {"--layouts", "nn,nt"},
      {"--rehearse", "smooth"},
      {"--origin", "measured"},
      {"--status", "ok"},
      {"--rewrites", "flight(0)"},
      {"--tenths", "2,3"},
      {"--hold", "2,3"},
      {"--seal", "0,1"},
      {"--sample", "1:2"},
      {"--kind", "mma_sync"},
      {"--advantage", "group-relative"},
      {"--range", "0:0:9"},
      {"--llm-url", "http://127.0.0.1:1/v1"},
      {"--llm-price", "1:2"},
      {"--output", "out"},
      {"--out", "out"},
      {"--db", "new.db"},
      {"--csv", "rows.csv"},
      {"--llm-model", "m"}};
  for (auto [known, value] : kGood)
    if (name == known)
      return value.str();
  if (placeholder.contains("FILE"))
    return folder +
           random.pick({"/module.mlir", "/table.csv", "/seed.db", "/nowhere"});
  if (placeholder.contains("MxNxK"))
    return "64x64x64";
  if (placeholder.contains("M,N,K"))
    return random.pick({"64,64,64", "8,8,8,nt"});
  if (placeholder.contains("N") && placeholder.size() < 8)
    return random.pick({"1", "2", "3"});
  return drawWord(random);
}

/// The command with some of its options.
static std::string drawLine(StringRef command, StringRef help,
                            const std::string &folder, fuzz::Random &random) {
  std::string line = command.str();
  if (help.contains(" FILE"))
    line += "\n" + valueFor("", "FILE", folder, random);
  for (StringRef option : llvm::split(help, '\n')) {
    option = option.ltrim();
    if (option.starts_with("-o ")) {
      line += "\n-o\nout";
      continue;
    }
    if (!option.starts_with("--") || option.starts_with("--help") ||
        !random.chance(15))
      continue;
    auto [name, placeholder] = option.split(' ').first.split('=');
    line += "\n" + name.str();
    if (!placeholder.empty())
      line += "=" + valueFor(name, placeholder, folder, random);
  }
  return line;
}

std::vector<std::string> fuzz::lineSeeds(const std::string &folder) {
  constexpr int kOfEach = 8;
  std::vector<std::string> commands;
  std::vector<std::string> names = namesIn(outputOf({"--help"}));
  names.push_back("hone-lab");
  for (const std::string &name : names) {
    std::vector<std::string> parts;
    if (name == "db" || name == "bench" || name == "hone-lab")
      parts = namesIn(outputOf({name, "--help"}));
    for (const std::string &part : parts)
      // `bench host` multiplies on this CPU for minutes.
      if (part != "host")
        commands.push_back(name + "\n" + part);
    if (parts.empty())
      commands.push_back(name);
  }
  std::vector<std::string> lines;
  fuzz::Random random(1);
  for (const std::string &command : commands) {
    llvm::SmallVector<StringRef> words;
    StringRef(command).split(words, '\n');
    words.push_back("--help");
    std::string help = outputOf(words);
    for (int i = 0; i < kOfEach; ++i)
      lines.push_back(drawLine(command, help, folder, random));
  }
  return lines;
}
