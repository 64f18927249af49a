// RUN: hone-opt %s --split-input-file --verify-diagnostics --hone-pool-buffers=workspace=argument

func.func @f(%a: memref<4xf32>) attributes {hone.memory = {arguments = "device"}} {
  return
}

// expected-error@+1 {{expected another name than 'f_workspace', which gives the size of the workspace of 'f'; use workspace=allocated or rename it}}
func.func @f_workspace(%a: memref<4xf32>) {
  return
}

// -----

// expected-error@+1 {{expected a function that does not call itself to take a workspace, but got 'g'; use workspace=allocated}}
func.func @g(%a: memref<4xf32>) attributes {hone.memory = {arguments = "device"}} {
  call @g(%a) : (memref<4xf32>) -> ()
  return
}
